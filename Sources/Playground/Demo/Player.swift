import Codecs
import Domain
import Glibc
import Kafka
import Runtime

/// Publishes a scenario: publishes its events when they are due, and tells phones and oracle what they would see of it.
struct Player {
  let scenario: Scenario
  let control: ControlPort
  let producer: KafkaProducer
  /// Card seconds per real second.
  let speed: Double
  /// Business time of the scenario's beginning.
  let origin: Instant

  /// Real seconds between two looks at what is due.
  private static let tickSeconds = 0.02

  /// Returns when everything was published. `progress` is called between steps with the card seconds gone by.
  func play(progress: (Double) async throws -> Void) async throws {
    let begin = MonotonicClock.now
    let tick = TimedSignal()
    var rest = scenario.steps[...]
    while let next = rest.first {
      try Task.checkCancellation()
      let card = (MonotonicClock.now - begin) * speed
      if next.at > card {
        try await progress(card)
        await tick.wait(seconds: max(Self.tickSeconds, min(1, (next.at - card) / speed)))
        continue
      }
      let due = rest.prefix { $0.at <= card }
      rest = rest.dropFirst(due.count)
      try await perform(due.map(\.step))
    }
  }

  /// Phones come first: a checkout happens before its order is published.
  private func perform(_ steps: [Scenario.Step]) async throws {
    var checkouts: [Checkout] = []
    var actions: [PhoneAction] = []
    var events: [PlannedEvent] = []
    var badRecords: [KafkaMessage] = []
    for step in steps {
      switch step {
      case .checkout(let checkout): checkouts.append(checkout)
      case .action(let action): actions.append(action)
      case .event(let event): events.append(event)
      case .badRecord(let record):
        badRecords.append(KafkaMessage(topic: Topics.orders, key: Array(record.key.utf8), value: record.value))
      }
    }
    if !checkouts.isEmpty { try await control.add(orders: checkouts) }
    if !badRecords.isEmpty { try await producer.send(badRecords) }
    if !events.isEmpty { try await publish(events) }
    if !actions.isEmpty { try await control.act(actions) }
  }

  private func publish(_ events: [PlannedEvent]) async throws {
    var lines = JSONLines()
    var messages: [KafkaMessage] = []
    let now = Self.wallMicros()
    for event in events {
      let value = event.json(origin: origin)
      let topic = event.isRiderEvent ? Topics.riders : Topics.orders
      messages.append(KafkaMessage(topic: topic, key: Array(event.subject.utf8), value: value))
      lines.add(atMicros: now, topic: topic, event: value)
    }
    try await producer.send(messages)
    try await control.published(lines.bytes)
  }

  private static func wallMicros() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}

/// What was published, as the simulator's control port takes it: a line each.
private struct JSONLines {
  private(set) var bytes: [UInt8] = []

  mutating func add(atMicros: Int64, topic: String, event: [UInt8]) {
    bytes += Array("{\"atMicros\":\(atMicros),\"topic\":\"\(topic)\",\"event\":".utf8) + event + Array("}\n".utf8)
  }
}

/// The topics of the playground: the service's defaults.
public enum Topics {
  public static let orders = "delivery.orders"
  public static let riders = "delivery.riders"
  public static let deadLetters = "doorstep.dead-letters"
}
