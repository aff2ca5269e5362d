import APNsSimulator

/// What real streams do to events on the way: some come twice, some late, and late ones behind their successors.
enum Dirt {
  static let duplicateShare = 0.04
  static let lateShare = 0.03
  /// Card seconds by which a late event is late.
  static let lateSeconds = 20.0...240.0

  /// Ends, cancellations and the like may come twice but not late: the scenario's end waits for them.
  static func strew(over events: [PlannedEvent], scale: Double, random: inout SeededRandom) -> [PlannedEvent] {
    events.flatMap { event -> [PlannedEvent] in
      var event = event
      if !event.isRiderEvent, !event.isTerminal, random.unit() < lateShare {
        event.publishedAt += random.uniform(lateSeconds) * scale
      }
      guard random.unit() < duplicateShare else { return [event] }
      var again = event
      again.publishedAt += random.uniform(1...120) * scale
      return [event, again]
    }
  }
}

extension PlannedEvent {
  var isTerminal: Bool {
    ["order.delivered", "order.cancelled", "order.failed", "order.returned", "order.reopened"].contains(type)
  }
}
