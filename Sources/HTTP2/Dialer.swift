import CSystem
import Glibc
import Runtime

/// Opens one TCP connection on a loop: resolves, tries the addresses in order, passes a CONNECT proxy.
///
/// All members must be used on the loop's thread. It is kept by the loop until it has called its completion.
final class Dialer: EventLoopHandler, @unchecked Sendable {
  /// One address may take so long before the next is tried.
  static let secondsPerAddress = 3.0

  private let loop: EventLoop
  private let tunnel: ProxyTunnel?
  private var completion: ((Result<Int32, HTTP2Failure>) -> Void)?
  private var addresses: [SocketAddress] = []
  private var descriptor: Int32 = -1
  private var timer: TimerID?
  private var isConnected = false
  private var lastError = SystemError(call: "connect", code: EHOSTUNREACH)
  /// What the dialer is at, for a time-out's message.
  private(set) var stage = "name resolution"

  init(loop: EventLoop, tunnel: ProxyTunnel?, completion: @escaping (Result<Int32, HTTP2Failure>) -> Void) {
    self.loop = loop
    self.tunnel = tunnel
    self.completion = completion
  }

  func start(host: String, port: UInt16, resolver: any NameResolver) {
    resolver.resolve(host: host, port: port) { [self] result in
      loop.execute { [self] in
        switch result {
        case .success(let found):
          addresses = found.reversed()
          connectToNext()
        case .failure(let failure): finish(.failure(failure))
        }
      }
    }
  }

  /// Gives up without calling the completion.
  func cancel() {
    completion = nil
    closeDescriptor()
  }

  private func connectToNext() {
    closeDescriptor()
    guard completion != nil else { return }
    guard let address = addresses.popLast() else { return finish(.failure(.connect(lastError))) }
    stage = "TCP connect to \(address)"
    descriptor = SocketAddress.openSocket(address.family)
    guard descriptor >= 0 else { return note(SystemError.last("socket")) }
    SocketAddress.sendAtOnce(descriptor)
    let code = address.withSocketAddress { connect(descriptor, $0, $1) }
    guard code == 0 || errno == EINPROGRESS else { return note(SystemError.last("connect to \(address)")) }
    do throws(SystemError) {
      try loop.add(descriptor, for: .write, handler: self)
    } catch {
      return note(error)
    }
    timer = loop.schedule(afterSeconds: Self.secondsPerAddress) { [self] in
      timer = nil
      if !isConnected { note(SystemError(call: "connect to \(address)", code: ETIMEDOUT)) }
    }
  }

  private func note(_ error: SystemError) {
    lastError = error
    connectToNext()
  }

  func ready(_ events: EventLoop.Events) {
    if isConnected { return talkToProxy() }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    guard code == 0 else { return note(SystemError(call: stage, code: code)) }
    isConnected = true
    guard let tunnel else { return handOver() }
    stage = "the proxy's CONNECT"
    let request = tunnel.request
    guard write(descriptor, request, request.count) == request.count else {
      return finish(.failure(.proxy(reason: "the CONNECT request could not be written")))
    }
    loop.modify(descriptor, for: .read)
  }

  private func talkToProxy() {
    guard let tunnel else { return }
    switch tunnel.read(from: descriptor) {
    case .waiting: return
    case .open: handOver()
    case .refused(let reason): finish(.failure(.proxy(reason: reason)))
    }
  }

  private func handOver() {
    loop.remove(descriptor)
    let open = descriptor
    descriptor = -1
    finish(.success(open))
  }

  private func finish(_ result: Result<Int32, HTTP2Failure>) {
    closeDescriptor()
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  private func closeDescriptor() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard descriptor >= 0 else { return }
    loop.remove(descriptor)
    close(descriptor)
    descriptor = -1
  }
}
