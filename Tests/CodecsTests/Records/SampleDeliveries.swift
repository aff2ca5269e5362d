import Domain

/// SplitMix64: the same numbers for the same seed on every machine.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// Random deliveries of every shape, made by the tracker itself.
struct SampleDeliveries {
  var numbers: SeededNumbers
  private let spaces = [SequenceSpace(name: "orders", rank: 1), SequenceSpace(name: "störe \"kitchen\"", rank: 2)]

  init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  private mutating func chance() -> Bool { Bool.random(using: &numbers) }
  private mutating func time() -> Instant {
    Instant(microseconds: Int64.random(in: 0...2_000_000_000_000_000, using: &numbers))
  }
  private mutating func place() -> Coordinate? {
    Coordinate(
      latitude: Double.random(in: -90...90, using: &numbers), longitude: Double.random(in: -180...180, using: &numbers))
  }

  mutating func delivery() -> Delivery {
    var delivery = Delivery(id: OrderID("o-\(numbers.next() % 1_000) \"quoted\" \u{1F35C}\n"))
    for _ in 0..<Int.random(in: 0...12, using: &numbers) {
      _ = Tracker.apply(event(delivery.id), to: &delivery, now: time())
    }
    _ = Presenter.refresh(
      &delivery, rider: nil, estimator: Estimator(), settings: PresentationSettings(), now: time())
    delivery.latch.hasArrived = chance()
    delivery.latch.nearSince = chance() ? time() : nil
    delivery.latch.overdueSteps = Int.random(in: 0...9, using: &numbers)
    return delivery
  }

  private mutating func event(_ order: OrderID) -> OrderEvent {
    let space = spaces[Int.random(in: 0...1, using: &numbers)]
    let stamp = Stamp(space: space, sequence: Int64.random(in: 1...20, using: &numbers), time: time())
    let stage = Stage.allCases.randomElement(using: &numbers) ?? .placed
    let happenings: [OrderHappening] = [
      .stage(stage), .stage(stage), .stage(stage), .riderAssigned, .riderUnassigned, .riderAtStore, .updated,
      .reopened(.preparing),
    ]
    let what = happenings.randomElement(using: &numbers) ?? .updated
    return OrderEvent(order: order, what: what, stamp: stamp, eventID: "e", changes: changes())
  }

  private mutating func changes() -> OrderChanges {
    var changes = OrderChanges()
    if chance() { changes.user = UserID("u-1") }
    if chance() { changes.placedBy = InstallationID("i-1") }
    if chance() { changes.app = "com.example.app" }
    if chance() { changes.kind = "pickup" }
    if chance() { changes.store = StoreInfo(id: "s", name: "Nudelhaus „Süd“ / \\", location: place()) }
    if chance() { changes.destination = place() }
    if chance() { changes.rider = RiderInfo(id: RiderID("r-1"), name: "Lin", vehicle: nil, location: place()) }
    if chance() { changes.promisedAt = time() }
    let from = time()
    if chance() { changes.schedule = ScheduleWindow(from: from, to: from.advanced(by: 1_800)) }
    if chance() { changes.estimatedReadyAt = time() }
    if chance() { changes.stopsBefore = Int.random(in: 0...5, using: &numbers) }
    if chance() { changes.platformArrival = time() }
    if chance() { changes.deliveredAt = time() }
    if chance() { changes.reason = "no \u{0} courier" }
    if chance() { changes.cancelledBy = "store" }
    if chance() { changes.attributes = ["colour": "blue", "note \"x\"": ""] }
    return changes
  }

  mutating func rider() -> RiderState {
    var rider = RiderState(id: RiderID("r-\(numbers.next() % 100)"))
    rider.isOnline = chance()
    rider.onlineAt = chance() ? time() : nil
    if chance() { rider.lastFix = fix() }
    if chance(), let fix = fix() { rider.suspect = RiderState.Suspect(fix: fix, agreeing: 2) }
    return rider
  }

  private mutating func fix() -> Fix? {
    guard let place = place() else { return nil }
    return Fix(
      coordinate: place, time: time(), accuracyMeters: chance() ? 8.5 : nil, speedMetersPerSecond: chance() ? 0 : nil,
      headingDegrees: chance() ? 359.75 : nil)
  }
}
