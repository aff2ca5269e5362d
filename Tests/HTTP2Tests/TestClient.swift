import HTTP2
import Runtime

/// One client connection with what it told its delegate.
final class TestClient: HTTP2ConnectionDelegate, @unchecked Sendable {
  struct Seen {
    var isReady = false
    var limits: [Int] = []
    var outcomes: [UInt64: HTTP2Outcome] = [:]
    var settledTwice = 0
    var refusedSubmits = 0
    var goAways: [GoAway] = []
    var closed: [HTTP2Failure] = []
  }

  let loop: EventLoop
  let connection: HTTP2Connection
  let seen = Lock(Seen())
  let changed = TimedSignal()

  init(port: UInt16, host: String = "localhost", configure: (inout HTTP2ConnectionSettings) -> Void = { _ in }) throws {
    loop = try EventLoop(name: "test-client")
    var settings = HTTP2ConnectionSettings(host: host, port: port, tls: try TestIdentity.clientTLS())
    settings.responseFields = ["apns-id", "content-type"]
    configure(&settings)
    connection = HTTP2Connection(loop: loop, settings: settings)
    connection.delegate = self
  }

  func open() -> Self {
    loop.execute { [self] in connection.open() }
    return self
  }

  /// Opens and waits for the first SETTINGS.
  func ready() async -> Bool {
    _ = open()
    return await wait { $0.isReady }
  }

  func submit(_ tickets: Range<UInt64>, body: [UInt8] = [1, 2, 3], deadlineSeconds: Double = 20) {
    loop.execute { [self] in
      for ticket in tickets {
        let request = TestClient.request(ticket, body: body, deadlineSeconds: deadlineSeconds)
        if !connection.submit(request) { note { $0.refusedSubmits += 1 } }
      }
    }
  }

  static func request(_ ticket: UInt64, body: [UInt8], deadlineSeconds: Double) -> HTTP2Request {
    var own = HeaderFields()
    own.add("x-ticket", String(ticket), indexing: .never)
    return HTTP2Request(
      ticket: ticket, path: Array("/push/\(ticket)".utf8), ownFields: own, body: body,
      deadline: MonotonicClock.now + deadlineSeconds)
  }

  func wait(until condition: (Seen) -> Bool) async -> Bool { await changed.wait(on: seen, until: condition) }

  /// Waits for so many outcomes and returns them all.
  func outcomes(_ count: Int) async -> [UInt64: HTTP2Outcome] {
    _ = await wait { $0.outcomes.count >= count }
    return seen.withLock { $0.outcomes }
  }

  func closed() async -> HTTP2Failure? {
    _ = await wait { !$0.closed.isEmpty }
    return seen.withLock { $0.closed.first }
  }

  func stop() {
    loop.execute { [self] in connection.close() }
    loop.shutdown()
  }

  private func note(_ change: (inout Seen) -> Void) {
    seen.withLock { change(&$0) }
    changed.raise()
  }

  func connectionReady(_ connection: HTTP2Connection) {
    note {
      $0.isReady = true
      $0.limits.append(connection.openRequestsLimit)
    }
  }

  func connectionLimitChanged(_ connection: HTTP2Connection) { note { $0.limits.append(connection.openRequestsLimit) } }

  func connection(_ connection: HTTP2Connection, settled ticket: UInt64, _ outcome: HTTP2Outcome) {
    note { if $0.outcomes.updateValue(outcome, forKey: ticket) != nil { $0.settledTwice += 1 } }
  }

  func connection(_ connection: HTTP2Connection, received goAway: GoAway) { note { $0.goAways.append(goAway) } }

  func connectionClosed(_ connection: HTTP2Connection, _ failure: HTTP2Failure) { note { $0.closed.append(failure) } }
}
