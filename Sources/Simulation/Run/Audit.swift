import Domain
import Service

/// Keeps books of everything that was reserved and says where a promise of docs/delivery-semantics.md 3 to 5 broke.
final class Audit {
  private struct CardName: Hashable {
    var phone: InstallationID
    var order: OrderID
    var generation: Int32
  }

  private struct RingName: Hashable {
    var phone: InstallationID
    var order: OrderID
    var life: Int32
    var stage: Stage
  }

  private let clock: ManualClock
  private let settings: PolicySettings
  /// Broken promises, by name.
  private(set) var broken: [String: Int] = [:]
  private(set) var pushes = 0
  private(set) var priority10 = 0
  private(set) var kinds: [Verdict.Kind: Int] = [:]
  private var stamps: [CardName: Int64] = [:]
  private var sequences: [CardName: Int64] = [:]
  private var started: Set<CardName> = []
  private var starts: [InstallationID: [Instant]] = [:]
  /// Ordinary starts of one life of an order on one phone: at most one may stand (rule 4.4).
  private var firstStarts: [RingName: Int32] = [:]
  private var buckets: [InstallationID: (left: Double, at: Instant)] = [:]
  private var rings: Set<RingName> = []

  init(clock: ManualClock, settings: PolicySettings) {
    self.clock = clock
    self.settings = settings
  }

  func reserved(_ requests: [ReservationRequest], _ reservations: [Reservation]) {
    for reservation in reservations {
      guard let request = requests.first(where: { $0.phone == reservation.phone }) else { continue }
      check(request, reservation)
    }
  }

  private func check(_ request: ReservationRequest, _ reservation: Reservation) {
    let plan = request.plan
    let card = CardName(phone: request.phone, order: plan.order, generation: plan.generation)
    pushes += 1
    checkRing(request)
    if plan.expiration <= clock.now() { breach("expiredWhenSent") }
    switch plan.event {
    case .start: checkStart(request, card)
    case .update, .end: checkUrgent(request)
    case .alert, .wakeApp: return
    }
    if plan.priority == 10 { priority10 += 1 }
    if let last = stamps[card], reservation.apsTimestamp <= last { breach("timestampNotIncreasing") }
    stamps[card] = reservation.apsTimestamp
    guard let sequence = request.desired?.sequence else { return breach("pushWithoutContent") }
    if let last = sequences[card], sequence < last { breach("sequenceFell") }
    sequences[card] = sequence
  }

  private func checkStart(_ request: ReservationRequest, _ card: CardName) {
    if !started.insert(card).inserted { breach("secondStartOfGeneration") }
    if request.desired?.stage.isTerminal == true { breach("startOfFinishedOrder") }
    if request.plan.rule != Rule.renewal.rawValue {
      let name = ringName(request.phone, request.plan.order, request.desired?.life, .placed)
      if firstStarts.updateValue(card.generation, forKey: name) != nil { breach("startedAgain") }
    }
    let now = clock.now()
    let times = (starts[request.phone] ?? []).filter { now.since($0) < 86_400 } + [now]
    starts[request.phone] = times
    if times.count > settings.startsPerDayMax { breach("startsPerDay") }
    if times.count(where: { now.since($0) < 3_600 }) > settings.startsPerHourMax { breach("startsPerHour") }
  }

  private func checkRing(_ request: ReservationRequest) {
    guard let stage = request.plan.ring else { return }
    let ring = ringName(request.phone, request.plan.order, request.desired?.life, stage)
    if !rings.insert(ring).inserted { breach("ringTwice") }
  }

  private func checkUrgent(_ request: ReservationRequest) {
    guard request.plan.priority == 10 else { return }
    let now = clock.now()
    let most = settings.priority10PerHourFrequent
    let bucket = buckets[request.phone] ?? (most, now)
    let left = min(bucket.left + now.since(bucket.at) * most / 3_600, most) - 1
    buckets[request.phone] = (max(left, 0), now)
    if left < 0 { breach("priority10PerHour") }
  }

  private func ringName(_ phone: InstallationID, _ order: OrderID, _ life: Int32?, _ stage: Stage) -> RingName {
    RingName(phone: phone, order: order, life: life ?? 0, stage: stage)
  }

  /// So much is broken that the rest of this world says nothing new.
  var isHopeless: Bool { broken.values.reduce(0, +) > 100 }

  /// At the end of a world: an accepted end was said again unless the app told that it knows (rule 3.6).
  func close(_ ending: [CardView]) {
    let now = clock.now()
    let wait = (settings.endRepeatSeconds.first ?? 0) + 60
    for card in ending where card.endsTold == 1 {
      if let told = card.endToldAt, now.since(told) > wait { breach("endNotRepeated") }
    }
  }

  /// A push that certainly never left takes its start and its ring back.
  func settled(_ settlements: [Settlement]) {
    for settlement in settlements where settlement.result.isTakenBack {
      let plan = settlement.plan
      if let stage = plan.ring {
        rings.remove(ringName(settlement.phone, plan.order, settlement.desired?.life, stage))
      }
      guard plan.event == .start else { continue }
      let card = CardName(phone: settlement.phone, order: plan.order, generation: plan.generation)
      started.remove(card)
      stamps[card] = nil
      firstStarts[ringName(settlement.phone, plan.order, settlement.desired?.life, .placed)] = nil
      _ = starts[settlement.phone]?.popLast()
    }
  }

  func breach(_ name: String) { broken[name, default: 0] += 1 }
}

extension Settlement.Result {
  /// Certainly not processed by APNs.
  fileprivate var isTakenBack: Bool {
    switch self {
    case .released, .tokenDead: true
    case .accepted, .failed, .startInDoubt, .refused: false
    }
  }
}
