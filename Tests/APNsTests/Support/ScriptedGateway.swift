import Certificates
import HTTP2
import Runtime

/// A TLS and HTTP/2 server that answers as a test says: real sockets, no policy of its own.
final class ScriptedGateway: HTTP2ServerDelegate, @unchecked Sendable {
  /// One request, and what a script may do with it. On the server's loop.
  struct Exchange {
    let gateway: ScriptedGateway
    let connection: HTTP2ServerConnection
    let request: HTTP2ServerRequest
    /// 1 for the first request of all.
    let number: Int

    var token: String { String(request.field(":path")?.dropFirst("/3/device/".count) ?? "") }

    func answer(_ status: Int, _ reason: String? = nil, timestamp: Int64? = nil, fields: [HeaderField] = []) {
      var body = ""
      if let reason {
        body = timestamp.map { #"{"reason":"\#(reason)","timestamp":\#($0)}"# } ?? #"{"reason":"\#(reason)"}"#
      }
      connection.respond(request.streamID, status: status, fields: fields, body: Array(body.utf8))
    }

    func reset(_ code: UInt32) { connection.reset(request.streamID, code: code) }
  }

  typealias Script = @Sendable (Exchange) -> Void

  struct Seen: Sendable {
    var requests: [HTTP2ServerRequest] = []
    var bearers: [UInt64: Set<String>] = [:]
    /// Connection of each request.
    var connections: [UInt64] = []
    var opened = 0
    var openIDs: Set<UInt64> = []
    var open: Int { openIDs.count }
    var mostOpenStreams = 0

    var allBearers: Set<String> { bearers.values.reduce(into: []) { $0.formUnion($1) } }
  }

  static let noError: UInt32 = 0
  static let streamClosed: UInt32 = 5
  static let refusedStream: UInt32 = 7

  let loop: EventLoop
  let port: UInt16
  private let server: HTTP2Server
  private let seen = Lock(Seen())
  private let changed = TimedSignal()
  private let script: Lock<Script>
  private let onOpen: (HTTP2ServerConnection) -> Void

  init(
    authority: CertificateAuthority, address: String = "127.0.0.1", port: UInt16 = 0,
    streams: UInt32? = 500, protocols: [String] = ["h2"],
    settings change: (inout HTTP2ServerSettings) -> Void = { _ in },
    onOpen: @escaping (HTTP2ServerConnection) -> Void = { _ in }, script: @escaping Script
  ) throws {
    let identity = try authority.issueServerCertificate(addresses: ["127.0.0.1"])
    var settings = HTTP2ServerSettings(
      tls: try .server(
        certificates: Array(identity.certificatePEM.utf8), key: Array(identity.privateKeyPEM.utf8),
        protocols: protocols))
    settings.maxConcurrentStreams = streams
    change(&settings)
    loop = try EventLoop(name: "scripted")
    guard let address = SocketAddress(address, port: port) else { throw SystemError.last("address") }
    server = try HTTP2Server(loop: loop, address: address, settings: settings)
    self.port = server.address.port
    self.script = Lock(script)
    self.onOpen = onOpen
    server.delegate = self
    loop.execute { [server] in try? server.start() }
  }

  func stop() {
    loop.execute { [server] in server.stop() }
    loop.shutdown()
  }

  /// Only the listener goes; connections stay.
  func stopListening() { loop.execute { [server] in server.stop(closingConnections: false) } }

  func use(_ script: @escaping @Sendable (Exchange) -> Void) { self.script.withLock { $0 = script } }

  /// Does something with every open connection, on the loop.
  func withConnections(_ body: @escaping @Sendable (HTTP2ServerConnection) -> Void) {
    loop.execute { [server] in
      for connection in server.connections.values { body(connection) }
    }
  }

  var now: Seen { seen.withLock { $0 } }

  /// Waits until `condition` holds; false when it does not within the time.
  func eventually(seconds: Double = 20, _ condition: (Seen) -> Bool) async -> Bool {
    let deadline = MonotonicClock.now + seconds
    while !condition(now) {
      guard MonotonicClock.now < deadline else { return false }
      await changed.wait(seconds: 0.05)
    }
    return true
  }

  // MARK: HTTP2ServerDelegate

  func connectionOpened(_ connection: HTTP2ServerConnection) {
    seen.withLock {
      $0.opened += 1
      $0.openIDs.insert(connection.id)
    }
    onOpen(connection)
    changed.raise()
  }

  func connection(_ connection: HTTP2ServerConnection, received request: HTTP2ServerRequest) {
    let number = seen.withLock { seen -> Int in
      seen.requests.append(request)
      seen.connections.append(connection.id)
      seen.mostOpenStreams = max(seen.mostOpenStreams, connection.openStreams)
      if let bearer = request.field("authorization") { seen.bearers[connection.id, default: []].insert(bearer) }
      return seen.requests.count
    }
    script.withLock { $0 }(Exchange(gateway: self, connection: connection, request: request, number: number))
    changed.raise()
  }

  func connectionClosed(_ connection: HTTP2ServerConnection, _ failure: HTTP2Failure) {
    // Comes also for a connection whose handshake failed, and that was never opened.
    _ = seen.withLock { $0.openIDs.remove(connection.id) }
    changed.raise()
  }
}
