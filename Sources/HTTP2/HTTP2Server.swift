import Runtime

/// A listener whose connections live on one event loop. All members but `init` must be used on the loop's thread.
///
/// It carries no policy: the delegate answers requests and sends what frames it likes.
public final class HTTP2Server: @unchecked Sendable {
  public let loop: EventLoop
  /// The address it listens on, with the port that the system chose if 0 was asked for.
  public var address: SocketAddress { listener.address }
  public let settings: HTTP2ServerSettings
  public weak var delegate: (any HTTP2ServerDelegate)?
  public private(set) var connections: [UInt64: HTTP2ServerConnection] = [:]
  private let listener: Listener
  private var lastID: UInt64 = 0

  /// Binds and listens; connections are taken from `start` on. Set `delegate` before it.
  public init(loop: EventLoop, address: SocketAddress, settings: HTTP2ServerSettings) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    listener = try Listener(loop: loop, address: address)
  }

  public func start() throws(SystemError) {
    listener.accepted = { [weak self] in self?.begin($0) }
    try listener.start()
  }

  /// Takes no more connections; with `closingConnections`, closes those there are.
  public func stop(closingConnections: Bool = true) {
    listener.stop()
    if closingConnections { for connection in Array(connections.values) { connection.close() } }
  }

  private func begin(_ taken: Int32) {
    guard let stream = try? TLSStream(context: settings.tls, descriptor: taken) else { return }
    lastID += 1
    let connection = HTTP2ServerConnection(id: lastID, server: self)
    connections[lastID] = connection
    connection.start(stream)
  }

  func forget(_ connection: HTTP2ServerConnection) {
    connections[connection.id] = nil
  }
}

/// Limits and first SETTINGS of a server's connections.
public struct HTTP2ServerSettings: Sendable {
  /// Who tells a client that it may send more of a body.
  public enum WindowUpdates: Sendable { case automatic, streamOnly, none }

  public var tls: TLSContext
  /// The first SETTINGS; nil to leave the entry out.
  public var maxConcurrentStreams: UInt32? = 100
  public var initialWindowBytes: UInt32?
  /// The window of the connection as a whole; nil for the protocol's 65,535 bytes.
  public var connectionWindowBytes: Int32?
  public var windowUpdates = WindowUpdates.automatic
  /// What is kept of a request's body; the rest is counted and dropped.
  public var requestBytesMax = 64 * 1024

  public init(tls: TLSContext) {
    self.tls = tls
  }
}

/// A request as it came, whole.
public struct HTTP2ServerRequest: Sendable {
  public var streamID: Int32
  /// All fields, pseudo fields first, in the order they came, duplicates included.
  public var fields: [HeaderField]
  public var body: [UInt8]
  /// Bytes of the body that came; more than `body` holds when it was over the limit.
  public var bodyBytes: Int

  public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Hears of a server's connections. All calls come on the loop's thread.
public protocol HTTP2ServerDelegate: AnyObject {
  /// TLS and ALPN are done and the first SETTINGS are on their way.
  func connectionOpened(_ connection: HTTP2ServerConnection)
  /// A request's header fields came; its body may follow. For answers that do not wait for it.
  func connection(_ connection: HTTP2ServerConnection, began request: HTTP2ServerRequest)
  /// A request came whole. Answer with `respond` or `reset`, now or later, or never.
  func connection(_ connection: HTTP2ServerConnection, received request: HTTP2ServerRequest)
  /// A stream ended: answered, or reset by either side (`code` is not 0).
  func connection(_ connection: HTTP2ServerConnection, closed streamID: Int32, code: UInt32)
  /// The connection is over, or its handshake failed.
  func connectionClosed(_ connection: HTTP2ServerConnection, _ failure: HTTP2Failure)
}

extension HTTP2ServerDelegate {
  public func connectionOpened(_ connection: HTTP2ServerConnection) {}
  public func connection(_ connection: HTTP2ServerConnection, began request: HTTP2ServerRequest) {}
  public func connection(_ connection: HTTP2ServerConnection, closed streamID: Int32, code: UInt32) {}
  public func connectionClosed(_ connection: HTTP2ServerConnection, _ failure: HTTP2Failure) {}
}
