import Codecs
import Domain
import Simulation

@testable import Service

/// The line over in-memory ports, turned by hand: records in at one end, pushes out at the other.
final class LineWorld {
  let clock = ManualClock()
  let store: MemoryStore
  let inbox = MemoryInbox()
  let gateway = MemoryGateway()
  let source = MemoryRecords()
  let letters = MemoryDeadLetters()
  let ingest: Ingest
  private(set) var dispatcher: Dispatcher

  init() {
    store = MemoryStore(clock: clock)
    ingest = Ingest(
      source: source, deadLetters: letters, store: store, waker: inbox, clock: clock, decoder: EventDecoder(),
      estimator: Estimator(), settings: IngestSettings(riderTopics: ["riders"]))
    dispatcher = Self.dispatcher(store, gateway, inbox, clock)
  }

  private static func dispatcher(
    _ store: MemoryStore, _ gateway: MemoryGateway, _ inbox: MemoryInbox, _ clock: ManualClock
  ) -> Dispatcher {
    Dispatcher(
      store: store, gateway: gateway, inbox: inbox, clock: clock, policy: DispatchPolicy(), payloads: PayloadBuilder(),
      settings: DispatchSettings())
  }

  /// A new dispatcher process: it remembers nothing and takes all shards.
  func restartDispatcher() async throws {
    dispatcher = Self.dispatcher(store, gateway, inbox, clock)
    try await dispatcher.take(Shards.all, owner: "test")
    try await dispatcher.sweep(Shards.all)
  }

  /// One event of order `o-1`, `type` without its prefix, as a record that the platform would write.
  func publish(_ type: String, sequence: Int, data: String = "{}", order: String = "o-1") async throws {
    let time = Self.rfc3339(clock.now())
    let json = """
      {"specversion":"1.0","id":"e-\(order)-\(sequence)","source":"/test","type":"order.\(type)","subject":"\(order)",\
      "time":"\(time)","sequence":\(sequence),"data":\(data)}
      """
    try await publish(raw: json)
  }

  func publish(raw json: String, topic: String = "orders") async throws {
    let record = source.record(topic: topic, value: Array(json.utf8), at: clock.wall())
    try await ingest.process(RecordBatch(records: [record]))
  }

  func register(_ phone: String, user: String = "u-1", startToken: Bool = true) async throws {
    var report = InstallationReport(id: InstallationID(phone), revision: 1)
    report.user = .set(UserID(user))
    report.bundleID = "com.example.app"
    report.environment = .sandbox
    report.osVersion = .set(OSVersion(major: 18, minor: 1))
    report.notifications = .authorized
    if let token = PushToken(bytes: Array(("device " + phone).utf8)) { report.deviceToken = .set(token) }
    if startToken, let token = PushToken(bytes: Array(("start " + phone).utf8)) {
      report.startTokens = ["DeliveryAttributes": token]
    }
    _ = try await store.register(report, credentialHash: nil, now: clock.now())
    inbox.wake(Wakes(phones: [InstallationID(phone)]))
  }

  func registerCard(_ phone: String, token: String = "update", startedBy: CardView.Starter = .push) async throws {
    var report = ActivityReport(
      order: OrderID("o-1"), activityID: "a-\(phone)", revision: 1, installation: InstallationID(phone),
      attributesType: "DeliveryAttributes", startedBy: startedBy, startedAt: clock.now(), state: .active)
    report.updateToken = PushToken(bytes: Array(token.utf8))
    _ = try await store.report(report, now: clock.now())
    inbox.wake(Wakes(phones: [InstallationID(phone)]))
  }

  /// Turns the dispatcher until it has nothing more to do at this instant.
  func settleDown(_ outcome: (Push) -> PushOutcome = { _ in .accepted }) async throws {
    for _ in 0..<50 {
      try await dispatcher.turn()
      if !gateway.waiting.isEmpty { gateway.answerAll(outcome) }
      if inbox.isEmpty, await dispatcher.isIdle { return }
    }
  }

  var bodies: [String] { gateway.history.map { String(decoding: $0.body, as: UTF8.self) } }

  /// `start`, `update`, `end` of each Live Activity push; `alert` or `background` of the others.
  var events: [String] {
    gateway.history.map { push in
      guard push.kind == .liveActivity else { return push.kind.rawValue }
      let body = String(decoding: push.body, as: UTF8.self)
      return ["start", "update", "end"].first { body.contains("\"event\":\"\($0)\"") } ?? "?"
    }
  }

  private static func rfc3339(_ instant: Instant) -> String {
    // The manual clock begins at 2027-01-15T08:00:00Z, and no test runs past that day.
    let seconds = instant.seconds - 1_800_000_000 + 8 * 3_600
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
    return "2027-01-15T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
  }
}
