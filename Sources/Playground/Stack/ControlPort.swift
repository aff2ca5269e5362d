import Codecs
import HTTPClient

/// The simulator's control port (docs/simulator.md).
public struct ControlPort: Sendable {
  public struct Health: Sendable {
    public var phones = 0
    public var registered = 0
    public var pendingUploads = 0
    public var runningCards = 0
    public var pushes = 0
    public var violations = 0
  }

  private let client: LoopbackClient

  init(url: String) { client = LoopbackClient(base: url) }

  func add(phones: [PhonePlan]) async throws(PlaygroundError) {
    try await post("/phones", list: "phones") { writer in for phone in phones { phone.write(to: &writer) } }
  }

  func add(orders: [Checkout]) async throws(PlaygroundError) {
    try await post("/orders", list: "orders") { writer in for order in orders { order.write(to: &writer) } }
  }

  func act(_ actions: [PhoneAction]) async throws(PlaygroundError) {
    try await post("/actions", list: "actions") { writer in for action in actions { action.write(to: &writer) } }
  }

  /// Tells the oracle what was published: JSON lines.
  func published(_ lines: [UInt8]) async throws(PlaygroundError) {
    _ = try await client.send("POST", "/published", body: lines)
  }

  /// Truth is not counted from then until then, in Unix microseconds of real time: a fault and its aftermath.
  func exclude(fromMicros: Int64, untilMicros: Int64) async throws(PlaygroundError) {
    try await post("/excluded", list: "windows") { writer in
      writer.beginObject()
      writer.member("fromMicros", fromMicros)
      writer.member("untilMicros", untilMicros)
      writer.endObject()
    }
  }

  public func health() async throws(PlaygroundError) -> Health {
    let body = try await client.send("GET", "/health")
    var health = Health()
    try parse(body) { root in
      func number(_ name: StaticString) -> Int { root[name]?.int64.map(Int.init) ?? 0 }
      health = Health(
        phones: number("phones"), registered: number("registered"), pendingUploads: number("pendingUploads"),
        runningCards: number("runningCards"), pushes: number("pushes"), violations: number("violations"))
    }
    return health
  }

  /// Ends the run; the final figures as JSON.
  public func finish() async throws(PlaygroundError) -> [UInt8] { try await client.send("POST", "/finish") }

  /// What a phone shows now, as JSON.
  public func screen(of installation: String) async throws(PlaygroundError) -> [UInt8] {
    try await client.send("GET", "/phones/\(installation)")
  }

  private func post(
    _ path: String, list name: StaticString, _ write: (inout JSONWriter) -> Void
  ) async throws(PlaygroundError) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key(name)
    writer.beginArray()
    write(&writer)
    writer.endArray()
    writer.endObject()
    _ = try await client.send("POST", path, body: writer.bytes)
  }

  private func parse(_ body: [UInt8], _ read: (JSONNode) -> Void) throws(PlaygroundError) {
    do { try JSON.parse(body) { read($0) } } catch { throw PlaygroundError("the simulator answered no JSON: \(error)") }
  }
}
