import APNsSimulator

/// One order's life as its platform lives it: which events, when, in seconds after it was placed.
struct OrderLife {
  enum Kind: CaseIterable {
    case plain, cancelled, failed, returned, reopened, reassigned, corrected, pickup, stuttering, scheduled, slow,
      silent
  }

  struct Event {
    var after: Double
    var type: String
    var data: String
  }

  let kind: Kind
  let rider: String
  private(set) var events: [Event] = []
  /// When the rider has the goods, and until when positions come.
  private(set) var ride: ClosedRange<Double>?
  var length: Double { events.last?.after ?? 0 }

  /// The kinds that take hours are rare, so that a seed stays quick.
  static func kind(_ luck: Luck) -> Kind {
    if luck.happens(0.6) { return .plain }
    let kinds: [Kind] = [.cancelled, .failed, .returned, .reopened, .reassigned, .corrected, .pickup, .stuttering]
    let slow: [Kind] = [.scheduled, .slow, .silent]
    return luck.happens(0.12) ? luck.choice(slow) : luck.choice(kinds)
  }

  init(_ kind: Kind, rider: String, placed: String, _ luck: Luck) {
    self.kind = kind
    self.rider = rider
    add(0, "placed", placed)
    switch kind {
    case .slow: addSlow(luck)
    case .scheduled: addScheduled(luck)
    default: addUsual(from: 0, luck)
    }
  }

  private mutating func add(_ after: Double, _ type: String, _ data: String = "{}") {
    events.append(Event(after: after, type: type, data: data))
  }

  private mutating func addUsual(from start: Double, _ luck: Luck) {
    let accepted = start + luck.between(15, 120)
    let preparing = accepted + luck.between(30, 150)
    let ready = preparing + luck.between(200, 800)
    let pickedUp = ready + luck.between(20, 200)
    let arrival = pickedUp + luck.between(300, 1_400)
    add(accepted, "accepted")
    add(preparing, "preparing")
    if kind == .cancelled { return add(ready, "cancelled", #"{"reason":"store"}"#) }
    if kind == .pickup {
      add(ready, "ready")
      return add(arrival, "delivered")
    }
    add(preparing + 20, "rider_assigned", #"{"rider":{"id":"\#(rider)","name":"Lin Wei"}}"#)
    if kind == .reassigned {
      add(ready - 60, "rider_unassigned")
      add(ready - 30, "rider_assigned", #"{"rider":{"id":"\#(rider)-b","name":"Ana"}}"#)
    }
    add(ready, "ready")
    add(pickedUp - 10, "rider_at_store")
    add(pickedUp, "picked_up")
    ride = pickedUp...arrival
    if kind == .silent { return }
    add(pickedUp + 5, "delivering")
    // A faulty producer: an earlier stage under a higher sequence.
    if kind == .stuttering { add(pickedUp + 90, "preparing") }
    addEnd(at: arrival, luck)
  }

  private mutating func addEnd(at arrival: Double, _ luck: Luck) {
    switch kind {
    case .failed: add(arrival, "failed", #"{"reason":"nobody home"}"#)
    case .returned:
      add(arrival, "returning")
      add(arrival + 600, "returned")
    case .reopened:
      add(arrival, "cancelled", #"{"reason":"mistake"}"#)
      add(arrival + luck.between(30, 300), "reopened", #"{"stage":"preparing"}"#)
      add(arrival + 600, "picked_up")
      add(arrival + 1_000, "delivered")
    case .corrected:
      add(arrival, "failed")
      add(arrival + luck.between(10, 200), "delivered")
    default:
      if luck.happens(0.5) { add(arrival - 40, "arriving") }
      add(arrival, "delivered")
    }
  }

  /// Longer than a card lives: it must be renewed, or ended and followed by alerts.
  private mutating func addSlow(_ luck: Luck) {
    add(60, "accepted")
    for hour in 1...8 { add(Double(hour) * 3_600, "updated", #"{"stopsBefore":\#(9 - hour)}"#) }
    add(8.6 * 3_600, "preparing")
    add(9 * 3_600, "picked_up")
    add(9.2 * 3_600, "delivered")
  }

  /// For later: known hours before its window.
  private mutating func addScheduled(_ luck: Luck) {
    add(30, "accepted")
    addUsual(from: Self.scheduledAfter, luck)
  }

  static let scheduledAfter = 3 * 3_600.0
}
