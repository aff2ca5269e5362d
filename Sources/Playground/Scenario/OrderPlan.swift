import Domain

/// One order's whole life, laid over a trip: its events, its rider's positions, its customer's phones.
struct OrderPlan: Sendable {
  let number: Int
  let special: SpecialCase?
  let timeline: Timeline
  let user: String
  let storeName: String
  /// Installation that placed it; nil for an order from the web, whose card is started by push.
  let placedBy: String?
  let trip: Trip
  let riderName: String
  let rider: String
  /// Of what remains of the promised time, drawn once.
  let promisedAfter: Double

  var id: String { "o-\(number)" }
  var phone: String { "phone-\(user)" }

  static let storeNames = ["Green Bowl", "Casa Lima", "Noodle House", "Corner Bakery", "Spice Route", "Pizza Verde"]
  static let riderNames = ["Ada Moreno", "Jun Park", "Lina Weber", "Sam Okafor", "Mei Tan", "Rui Costa", "Noor Aziz"]

  /// The events of an ordinary delivery, and what the special case makes of them.
  func events() -> [PlannedEvent] {
    var life = LifeCycle(subject: id)
    life.add("order.placed", at: timeline.placed, placedDetails)
    if special == .pickup { return collected(&life) }
    life.add("order.accepted", at: timeline.accepted)
    if special == .cancelled || special == .reopened {
      life.add("order.cancelled", at: timeline.preparing, .init(reason: "customer changed their mind"))
      guard special == .reopened else { return life.events }
      life.add("order.reopened", at: timeline.preparing + 60 * timeline.scale, .init(stage: "preparing"))
    } else {
      life.add("order.preparing", at: timeline.preparing)
    }
    assignRider(&life)
    life.add("order.ready", at: timeline.ready)
    // A platform that leaves steps out: the rider turns up with the goods.
    if special != .silentSteps { life.add("order.rider_at_store", at: timeline.atStore) }
    life.add("order.picked_up", at: timeline.pickedUp)
    if special != .silentSteps {
      let stops = special == .pooled ? 1 : nil
      life.add("order.delivering", at: timeline.delivering, .init(stopsBefore: stops))
    }
    if special == .pooled {
      life.add("order.updated", at: (timeline.delivering + timeline.delivered) / 2, .init(stopsBefore: 0))
    }
    finish(&life)
    return life.events.sorted { $0.happensAt < $1.happensAt }
  }

  private var placedDetails: PlannedEvent.Details {
    PlannedEvent.Details(
      user: user, placedBy: placedBy, kind: special == .pickup ? "pickup" : nil, storeName: storeName,
      storePlace: trip.start, destination: special == .pickup ? nil : trip.end,
      promisedAt: timeline.placed + promisedAfter)
  }

  private func assignRider(_ life: inout LifeCycle) {
    life.add("order.rider_assigned", at: timeline.assigned, .init(riderName: riderName, rider: rider))
    guard special == .reassigned else { return }
    let middle = (timeline.assigned + timeline.atStore) / 2
    life.add("order.rider_unassigned", at: middle, .init(reason: "flat tyre"))
    life.add(
      "order.rider_assigned", at: middle + 20 * timeline.scale, .init(riderName: "Eva Lund", rider: rider + "-second"))
  }

  private func collected(_ life: inout LifeCycle) -> [PlannedEvent] {
    life.add("order.accepted", at: timeline.accepted)
    life.add("order.preparing", at: timeline.preparing)
    life.add("order.ready", at: timeline.ready)
    life.add("order.delivered", at: timeline.pickedUp)
    return life.events
  }

  private func finish(_ life: inout LifeCycle) {
    switch special {
    case .failed:
      life.add("order.failed", at: timeline.delivered, .init(reason: "nobody at home"))
    case .returned:
      life.add("order.returning", at: timeline.delivered, .init(reason: "address not found"))
      life.add("order.returned", at: timeline.delivered + 200 * timeline.scale)
    case .correctedEnd:
      life.add("order.delivered", at: timeline.delivered - 60 * timeline.scale)
      life.add("order.failed", at: timeline.delivered, .init(reason: "wrong button"))
    default:
      life.add("order.delivered", at: timeline.delivered)
    }
  }

  /// Who brings the goods in the end.
  var lastRider: String { special == .reassigned ? rider + "-second" : rider }
}

/// Collects an order's events and numbers them.
struct LifeCycle {
  let subject: String
  private(set) var events: [PlannedEvent] = []
  private var sequence = 0

  init(subject: String) { self.subject = subject }

  mutating func add(_ type: String, at seconds: Double, _ details: PlannedEvent.Details = .init()) {
    sequence += 1
    events.append(
      PlannedEvent(
        happensAt: seconds, publishedAt: seconds, type: type, subject: subject, sequence: sequence, details: details))
  }
}
