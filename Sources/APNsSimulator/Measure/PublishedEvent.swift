import FoundationEssentials

/// One event as it was published to the service under test, and when.
public struct PublishedEvent: Sendable {
  /// Card time and real time of publishing.
  public var at: Moment
  public var real: Moment
  public var topic: String
  /// The published value: CloudEvents JSON, or anything else when a bad record was published on purpose.
  var event: JSONValue

  init(at: Moment, real: Moment, topic: String, event: JSONValue) {
    self.at = at
    self.real = real
    self.topic = topic
    self.event = event
  }

  /// Nil when the value is not JSON.
  public init?(at: Moment, real: Moment, topic: String, value: [UInt8]) {
    guard let event = try? JSONDecoder().decode(JSONValue.self, from: Data(value)) else { return nil }
    self.init(at: at, real: real, topic: topic, event: event)
  }

  /// One line of `published.jsonl`.
  var line: [UInt8] {
    var json = JSONText()
    json.add("at", at.micros)
    json.add("real", real.micros)
    json.add("topic", topic)
    json.add("event", json: (try? JSONEncoder().encode(event)).map(Array.init) ?? Array("null".utf8))
    return json.closed()
  }

  var type: String { event["type"]?.text ?? "" }
  var order: String { event["subject"]?.text ?? "" }

  /// A whole number of at least 1, or the same as a decimal string; nil otherwise.
  var sequence: Int64? {
    let value = event["sequence"]
    guard let number = value?.whole ?? value?.text.flatMap(Int64.init), number >= 1 else { return nil }
    return number
  }

  /// The stage that the event sets, with `reopened` told apart.
  var step: (step: Step, reopens: Bool)? {
    if type == "order.reopened" {
      return event["data"]?["stage"]?.text.flatMap(Step.init(name:)).map { ($0, true) }
    }
    return Self.steps[type].map { ($0, false) }
  }

  private static let steps: [String: Step] = [
    "order.placed": .placed, "order.accepted": .accepted, "order.preparing": .preparing, "order.ready": .ready,
    "order.picked_up": .pickedUp, "order.delivering": .delivering, "order.arriving": .arriving,
    "order.returning": .returning, "order.delivered": .delivered, "order.cancelled": .cancelled,
    "order.failed": .failed, "order.returned": .returned,
  ]
}
