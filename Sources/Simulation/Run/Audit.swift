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
  private var urgent: [InstallationID: [Instant]] = [:]
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
    let now = clock.now()
    let times = (starts[request.phone] ?? []).filter { now.since($0) < 86_400 } + [now]
    starts[request.phone] = times
    if times.count > settings.startsPerDayMax { breach("startsPerDay") }
    if times.count(where: { now.since($0) < 3_600 }) > settings.startsPerHourMax { breach("startsPerHour") }
  }

  private func checkRing(_ request: ReservationRequest) {
    guard let stage = request.plan.ring else { return }
    let life = request.desired?.life ?? 0
    let ring = RingName(phone: request.phone, order: request.plan.order, life: life, stage: stage)
    if !rings.insert(ring).inserted { breach("ringTwice") }
  }

  private func checkUrgent(_ request: ReservationRequest) {
    guard request.plan.priority == 10 else { return }
    let now = clock.now()
    let times = (urgent[request.phone] ?? []).filter { now.since($0) < 3_600 } + [now]
    urgent[request.phone] = times
    // A full bucket and an hour's refill, with frequent pushes.
    if Double(times.count) > 2 * settings.priority10PerHourFrequent { breach("priority10PerHour") }
  }

  /// A push that certainly never left takes its start and its ring back.
  func settled(_ settlements: [Settlement]) {
    for settlement in settlements where settlement.result.isTakenBack {
      let plan = settlement.plan
      if let stage = plan.ring {
        rings.remove(
          RingName(phone: settlement.phone, order: plan.order, life: settlement.desired?.life ?? 0, stage: stage))
      }
      guard plan.event == .start else { continue }
      let card = CardName(phone: settlement.phone, order: plan.order, generation: plan.generation)
      started.remove(card)
      stamps[card] = nil
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
