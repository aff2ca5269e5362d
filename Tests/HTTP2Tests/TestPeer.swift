import Certificates
import HTTP2
import Runtime
import Testing

/// One authority and server identity for all tests of this process, made at run time.
enum TestIdentity {
  static let authority = Result { try CertificateAuthority() }
  static let server = Result { try authority.get().issueServerCertificate() }

  static func serverTLS(protocols: [String] = ["h2"]) throws -> TLSContext {
    let identity = try server.get()
    return try TLSContext.server(
      certificates: Array(identity.certificatePEM.utf8), key: Array(identity.privateKeyPEM.utf8), protocols: protocols)
  }

  static func clientTLS() throws -> TLSContext {
    try TLSContext.client(trust: .pem(Array(try authority.get().pem().utf8)))
  }
}

/// A server whose behaviour a test gives as closures; they run on the loop.
final class TestPeer: HTTP2ServerDelegate, @unchecked Sendable {
  typealias Behaviour = (HTTP2ServerConnection, HTTP2ServerRequest) -> Void

  struct Seen {
    var requests: [HTTP2ServerRequest] = []
    var opened = 0
    var closed: [HTTP2Failure] = []
    var streamEnds: [Int32: UInt32] = [:]
  }

  let loop: EventLoop
  let seen = Lock(Seen())
  let changed = TimedSignal()
  let server: HTTP2Server
  var onOpened: (HTTP2ServerConnection) -> Void = { _ in }
  var onBegan: Behaviour = { _, _ in }
  var onRequest: Behaviour = { connection, request in connection.respond(request.streamID, status: 200) }

  init(
    address: String = "127.0.0.1", port: UInt16 = 0, configure: (inout HTTP2ServerSettings) -> Void = { _ in }
  ) throws {
    loop = try EventLoop(name: "test-server")
    var settings = HTTP2ServerSettings(tls: try TestIdentity.serverTLS())
    configure(&settings)
    let bound = try #require(SocketAddress(address, port: port))
    server = try HTTP2Server(loop: loop, address: bound, settings: settings)
    server.delegate = self
  }

  /// Starts to accept. Behaviour is set before this.
  func start() -> Self {
    loop.execute { [self] in try? server.start() }
    return self
  }

  var port: UInt16 { server.address.port }

  /// Runs a closure on the loop with every open connection.
  func withConnections(_ body: @escaping @Sendable (HTTP2ServerConnection) -> Void) {
    loop.execute { [self] in for connection in Array(server.connections.values) { body(connection) } }
  }

  func stop() {
    loop.execute { [self] in server.stop() }
    loop.shutdown()
  }

  func wait(until condition: (Seen) -> Bool) async -> Bool { await changed.wait(on: seen, until: condition) }

  private func note(_ change: (inout Seen) -> Void) {
    seen.withLock { change(&$0) }
    changed.raise()
  }

  func connectionOpened(_ connection: HTTP2ServerConnection) {
    note { $0.opened += 1 }
    onOpened(connection)
  }

  func connection(_ connection: HTTP2ServerConnection, began request: HTTP2ServerRequest) {
    onBegan(connection, request)
  }

  func connection(_ connection: HTTP2ServerConnection, received request: HTTP2ServerRequest) {
    note { $0.requests.append(request) }
    onRequest(connection, request)
  }

  func connection(_ connection: HTTP2ServerConnection, closed streamID: Int32, code: UInt32) {
    note { $0.streamEnds[streamID] = code }
  }

  func connectionClosed(_ connection: HTTP2ServerConnection, _ failure: HTTP2Failure) {
    note { $0.closed.append(failure) }
  }
}

extension TimedSignal {
  /// Waits until the condition holds, at most 20 s; whether it does.
  func wait<Value>(on value: Lock<Value>, until condition: (Value) -> Bool) async -> Bool {
    let deadline = MonotonicClock.now + 20
    while !value.withLock({ condition($0) }) {
      guard MonotonicClock.now < deadline else { return false }
      await wait(seconds: deadline - MonotonicClock.now)
    }
    return true
  }
}
