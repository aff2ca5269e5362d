import Domain

let orders = SequenceSpace(name: "orders", rank: 1)

extension Delivery {
  /// Applies an event that happened at `now` minus `ago` seconds.
  @discardableResult
  mutating func take(
    _ what: OrderHappening, _ sequence: Int64, _ now: Instant, ago: Double = 0,
    _ change: (inout OrderChanges) -> Void = { _ in }
  ) -> Applied {
    var changes = OrderChanges()
    change(&changes)
    let stamp = Stamp(space: orders, sequence: sequence, time: now.advanced(by: -ago))
    let event = OrderEvent(order: id, what: what, stamp: stamp, eventID: "e-\(sequence)", changes: changes)
    return Tracker.apply(event, to: &self, now: now)
  }
}
