import HTTP2
import Runtime
import Testing

/// A harmful relay on a loop of its own.
final class TestProxy: Sendable {
  let loop: EventLoop
  let proxy: TCPProxy

  init(target: SocketAddress, harm: (inout TCPProxy.Harm) -> Void = { _ in }) throws {
    loop = try EventLoop(name: "test-proxy")
    proxy = try TCPProxy(loop: loop, address: try #require(SocketAddress("127.0.0.1", port: 0)), target: target)
    harm(&proxy.harm)
    loop.execute { [self] in try? proxy.start() }
  }

  var port: UInt16 { proxy.address.port }

  /// Runs a closure on the proxy's loop and waits for it.
  func run(_ body: @escaping @Sendable (TCPProxy) -> Void) async {
    let done = TimedSignal()
    loop.execute { [self] in
      body(proxy)
      done.raise()
    }
    await done.wait(seconds: 20)
  }

  func stop() {
    loop.execute { [self] in proxy.stop() }
    loop.shutdown()
  }
}
