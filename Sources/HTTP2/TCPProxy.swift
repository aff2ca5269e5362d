import Glibc
import Runtime

/// A TCP relay that harms on purpose: it delays, throttles, swallows and cuts, in both directions.
///
/// For tests, simulators and demos. All members but `init` and `address` must be used on the loop's thread.
public final class TCPProxy: @unchecked Sendable {
  /// What is done to the bytes from now on; those on their way keep their time.
  public struct Harm: Sendable {
    /// Each byte arrives so much later: half a round trip for each direction.
    public var delaySeconds = 0.0
    /// Nil for no limit.
    public var bytesPerSecond: Double?
    /// New connections are closed at once.
    public var refusesConnections = false

    public init() {}
  }

  public let loop: EventLoop
  public let target: SocketAddress
  public var harm = Harm()
  /// Connections taken since the start.
  public private(set) var acceptedConnections = 0
  private let listener: Listener
  private var connections: [ObjectIdentifier: ProxiedConnection] = [:]

  public var address: SocketAddress { listener.address }
  public var openConnections: Int { connections.count }

  /// Binds and listens for connections to be relayed to `target`.
  public init(loop: EventLoop, address: SocketAddress, target: SocketAddress) throws(SystemError) {
    self.loop = loop
    self.target = target
    listener = try Listener(loop: loop, address: address)
  }

  public func start() throws(SystemError) {
    listener.accepted = { [weak self] in self?.relay($0) }
    try listener.start()
  }

  /// Takes no more connections and cuts those there are.
  public func stop() {
    listener.stop()
    cut()
  }

  /// Resets the open connections towards both ends.
  public func cut() {
    for connection in Array(connections.values) { connection.end(reset: true) }
  }

  /// Swallows from now on every byte of the open connections, or of so many of them, and says nothing; new connections
  /// are not concerned.
  public func swallow(connections count: Int = .max) {
    for connection in connections.values.prefix(count) { connection.isSwallowing = true }
  }

  private func relay(_ client: Int32) {
    acceptedConnections += 1
    guard !harm.refusesConnections, let connection = ProxiedConnection(proxy: self, client: client) else {
      close(client)
      return
    }
    connections[ObjectIdentifier(connection)] = connection
  }

  func forget(_ connection: ProxiedConnection) {
    connections[ObjectIdentifier(connection)] = nil
  }
}
