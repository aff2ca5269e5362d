import Codecs
import Domain
import Service

/// Phones whose cards all have something new to show whenever they are looked at.
struct BenchPushWorkload {
  static let bundleID = "com.example.delivery"
  static let lane = PushLane(bundleID: bundleID, environment: .production)
  /// What the reference sends beside path and body.
  static let fields: [(name: StaticString, value: String)] = [
    ("authorization", "bearer " + String(repeating: "k", count: 180)),
    ("apns-topic", bundleID + ".push-type.liveactivity"), ("apns-push-type", "liveactivity"), ("apns-priority", "5"),
    ("apns-id", "7e4c1f0a-95d2-4b36-8f41-0c2d9e6a5b13"), ("apns-expiration", "1790000900"),
  ]
  private static let start = Instant(seconds: 1_790_000_000)
  private static let secondsBetweenLooks = 60.0

  private(set) var phones: [PhoneView]
  private let policy = DispatchPolicy()
  private let payloads = PayloadBuilder()
  private var looks = 0

  init(tokens: Int) throws(BenchError) {
    phones = []
    for number in 0..<tokens { phones.append(try Self.phone(number)) }
  }

  /// 64 hexadecimal digits, another text for each number.
  static func tokenText(_ number: Int) -> String {
    let digits = String(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1 << 63, radix: 16)
    return String(repeating: digits, count: 4)
  }

  private static func phone(_ number: Int) throws(BenchError) -> PhoneView {
    guard let token = PushToken(hexadecimal: tokenText(number)) else { throw BenchError("no token") }
    var installation = Installation(
      id: InstallationID("phone-\(number)"), bundleID: bundleID, environment: .production)
    installation.osVersion = OSVersion(major: 18, minor: 1)
    var card = CardView(
      generation: 1, phase: .active, startedBy: .app, startedAt: start, attributesType: BuiltInShape.attributesType)
    card.updateToken = token
    var order = OrderView(
      id: OrderID("order-2026-\(number)"), version: 1, desired: snapshot(sequence: 1, at: start),
      causeFreshUntil: .distantFuture, knownSince: start)
    order.cards = [card]
    return PhoneView(installation: installation, budget: PhoneBudget(), orders: [order])
  }

  private static func snapshot(sequence: Int64, at now: Instant) -> Snapshot {
    Snapshot(
      sequence: sequence, life: 0, stage: .delivering, stageStarted: start, computed: now, riderPhase: .carrying,
      stopsBefore: 2, arrival: now.advanced(by: 900), earliest: now.advanced(by: 700), latest: now.advanced(by: 1200),
      remainingMeters: 2400, progress: 0.62, riderName: "Maximilian",
      storeName: "Trattoria da Mario am Marktplatz", placed: start)
  }

  /// Something new happens to the next phone; the policy chooses and the payload is built.
  mutating func next(ticket: UInt64) throws -> (phone: Int, push: Push) {
    let index = looks % phones.count
    let now = Self.start.advanced(by: Double(1 + looks / phones.count) * Self.secondsBetweenLooks)
    looks += 1
    phones[index].orders[0].desired = Self.snapshot(sequence: now.milliseconds, at: now)
    phones[index].orders[0].heardAt = now
    let decision = policy.decide(phones[index], now: now)
    guard let plan = decision.plan, let desired = phones[index].orders[0].desired,
      let token = phones[index].orders[0].cards[0].updateToken
    else { throw BenchError("the policy chose no push: \(decision.verdicts.values.map(\.rule))") }
    phones[index].budget = phones[index].budget.debited(
      by: plan, now: now, installation: phones[index].installation, settings: policy.settings)
    let body = try payloads.build(
      plan, order: plan.order, snapshot: desired, apsTimestamp: now.seconds, installation: phones[index].installation)
    let push = Push(
      ticket: ticket, lane: Self.lane, kind: .liveActivity, token: token, priority: plan.priority,
      expiration: plan.expiration.seconds, body: body)
    return (index, push)
  }

  /// APNs has accepted what the phone should show.
  mutating func accepted(phone index: Int) {
    guard let desired = phones[index].orders[0].desired else { return }
    phones[index].orders[0].cards[0].told = CardView.Told(
      sequence: desired.sequence, life: desired.life, stage: desired.stage, arrival: desired.arrival, staleAt: nil,
      at: desired.computed)
  }

  func sampleBody() throws -> [UInt8] {
    var copy = self
    return try copy.next(ticket: 0).push.body
  }
}
