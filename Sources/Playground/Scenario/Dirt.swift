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

/// A record that no service can read; it must cost nothing but itself.
struct BadRecord: Sendable {
  /// The order in whose partition it stands in the way.
  var key: String
  var value: [UInt8]

  private static let values = [
    "", "{", "not JSON at all", "[1,2,3]", #"{"specversion":"1.0","type":"order.accepted"}"#,
    #"{"specversion":"1.0","id":"x","source":"/","type":"order.accepted","subject":"o","sequence":0,"data":{}}"#,
  ]

  init(number: Int, order: String) {
    key = order
    value = Array(Self.values[number % Self.values.count].utf8)
  }
}

extension PlannedEvent {
  var isTerminal: Bool {
    ["order.delivered", "order.cancelled", "order.failed", "order.returned", "order.reopened"].contains(type)
  }
}
