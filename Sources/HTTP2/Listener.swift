import CSystem
import Glibc
import Runtime

/// A listening socket on an event loop. All members but `init` must be used on the loop's thread.
final class Listener: EventLoopHandler {
  /// Connections accepted in a row before others on the loop have their turn.
  private static let acceptsPerTurn = 64

  let address: SocketAddress
  /// Takes over each accepted socket, which is non-blocking.
  var accepted: (Int32) -> Void = { close($0) }
  private let loop: EventLoop
  private var descriptor: Int32

  /// Binds and listens; connections are taken from `start` on.
  init(loop: EventLoop, address: SocketAddress) throws(SystemError) {
    self.loop = loop
    let socket = SocketAddress.openSocket(address.family)
    guard socket >= 0 else { throw SystemError.last("socket") }
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.withSocketAddress({ bind(socket, $0, $1) }) == 0, listen(socket, 4096) == 0 else {
      let error = SystemError.last("listen on \(address)")
      close(socket)
      throw error
    }
    descriptor = socket
    self.address = SocketAddress.ofSocket(socket) ?? address
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func start() throws(SystemError) {
    try loop.add(descriptor, for: .read, handler: self)
  }

  func stop() {
    guard descriptor >= 0 else { return }
    loop.remove(descriptor)
    close(descriptor)
    descriptor = -1
  }

  func ready(_ events: EventLoop.Events) {
    for _ in 0..<Self.acceptsPerTurn {
      let taken = csystem_accept(descriptor)
      guard taken >= 0 else { return }
      SocketAddress.sendAtOnce(taken)
      accepted(taken)
    }
  }
}
