import Domain

let orders = SequenceSpace(name: "orders", rank: 1)
let kitchen = SequenceSpace(name: "kitchen", rank: 0)

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

  mutating func chance(_ share: Double = 0.5) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}

extension OrderEvent {
  static func make(
    _ what: OrderHappening, _ sequence: Int64, at time: Instant, space: SequenceSpace = orders,
    _ change: (inout OrderChanges) -> Void = { _ in }
  ) -> OrderEvent {
    var changes = OrderChanges()
    change(&changes)
    return OrderEvent(
      order: OrderID("o"), what: what, stamp: Stamp(space: space, sequence: sequence, time: time),
      eventID: "e-\(sequence)", changes: changes)
  }
}

extension Delivery {
  /// Applies an event that happened at `now` minus `ago` seconds.
  @discardableResult
  mutating func take(
    _ what: OrderHappening, _ sequence: Int64, _ now: Instant, ago: Double = 0,
    _ change: (inout OrderChanges) -> Void = { _ in }
  ) -> Applied {
    Tracker.apply(.make(what, sequence, at: now.advanced(by: -ago), change), to: &self, now: now)
  }

  /// Looks at the delivery as ingest does after a batch.
  @discardableResult
  mutating func look(
    _ now: Instant, rider: RiderState? = nil, settings: PresentationSettings = PresentationSettings(),
    dropsBefore: Int = 0
  ) -> VisibleChange? {
    Presenter.refresh(
      &self, rider: rider, estimator: Estimator(), settings: settings, now: now, dropsBefore: dropsBefore)
  }

  /// Only what events add up to, without what was shown of it.
  var state: Delivery {
    var copy = self
    copy.snapshot = nil
    copy.latch = ShownLatch()
    copy.refreshAt = nil
    return copy
  }
}

/// A place `north` and `east` metres from the middle of the test world.
func place(north: Double = 0, east: Double = 0) -> Coordinate {
  guard let place = Coordinate(latitude: 12.5 + north / 111_195, longitude: 101.5 + east / 108_560) else {
    preconditionFailure("outside of the world")
  }
  return place
}

func fix(_ time: Instant, north: Double = 0, east: Double = 0, accuracy: Double? = 8) -> Fix {
  Fix(coordinate: place(north: north, east: east), time: time, accuracyMeters: accuracy)
}

extension RiderState {
  static func at(_ fix: Fix, id: String = "r") -> RiderState {
    var rider = RiderState(id: RiderID(id))
    rider.lastFix = fix
    return rider
  }
}
