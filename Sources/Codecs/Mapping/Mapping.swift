import Domain

/// How a platform's topics are read: compiled once, used for every record (docs/mapping.md).
public struct Mapping: Sendable {
  /// Searched in order; the first whose pattern fits the topic counts.
  var topics: [TopicRule]

  /// CloudEvents 1.0 as docs/interface.md has them, on every topic.
  public static let builtIn = Mapping(topics: [])

  func rule(for topic: String, role: TopicRole) -> TopicRule {
    if let rule = topics.first(where: { $0.role == role && $0.pattern.matches(topic) }) { return rule }
    return role == .orders ? .builtInOrders : .builtInRiders
  }
}

struct TopicRule: Sendable {
  enum SequenceMode: String, Sendable, CaseIterable { case explicit, time }

  var pattern: TopicPattern
  var role: TopicRole
  var space: SequenceSpace
  var sequenceMode: SequenceMode
  /// Every rule whose conditions hold makes its events, in this order.
  var events: [EventRule]
  var namespaces = Namespaces()
  /// In the built-in form a topic carries events of its own role only; a mapped one may mix them.
  var isBuiltIn = false
  var readsKeyDocument = false

  static let builtInOrders = TopicRule(
    pattern: TopicPattern("*"), role: .orders, space: SequenceSpace(name: "orders", rank: 0), sequenceMode: .explicit,
    events: [.structuredCloudEvent, .binaryCloudEvent], isBuiltIn: true)
  static let builtInRiders = TopicRule(
    pattern: TopicPattern("*"), role: .riders, space: SequenceSpace(name: "riders", rank: 0), sequenceMode: .time,
    events: [.structuredCloudEvent, .binaryCloudEvent], isBuiltIn: true)
}

/// What is put before ids, so that two markets with equal ids stay apart.
struct Namespaces: Sendable, Equatable {
  var orders = ""
  var users = ""
  var riders = ""
}

/// A topic's name, or the beginning of one followed by `*`.
struct TopicPattern: Sendable, Equatable {
  let text: String

  init(_ text: String) { self.text = text }

  func matches(_ topic: String) -> Bool {
    text.hasSuffix("*") ? topic.hasPrefix(text.dropLast()) : topic == text
  }
}

extension EventRule {
  /// All attributes and data in the record's value.
  static let structuredCloudEvent: EventRule = {
    var rule = EventRule(conditions: [Condition(source: .header("ce_specversion"), test: .absent)])
    rule.keyIsSubject = true
    for field in EventField.allCases {
      rule[field] = FieldRule(sources: [.value(field.builtInPointer)])
    }
    rule[.traceparent] = FieldRule(sources: [.header("traceparent"), .value(EventField.traceparent.builtInPointer)])
    return rule
  }()

  /// Attributes in `ce_` headers, data in the record's value.
  static let binaryCloudEvent: EventRule = {
    var rule = EventRule(conditions: [Condition(source: .header("ce_specversion"), test: .present)])
    rule.keyIsSubject = true
    for field in EventField.allCases {
      let pointer = field.builtInPointer
      let isData = pointer.tokens.count > 1
      rule[field] = FieldRule(
        sources: [isData ? .value(pointer.droppingFirst()) : .header("ce_" + field.path)])
    }
    rule[.traceparent] = FieldRule(sources: [.header("traceparent"), .header("ce_traceparent")])
    return rule
  }()
}

extension EventField {
  var builtInPointer: Pointer { Pointer(keys: path.split(separator: ".").map(String.init)) }
}

extension Pointer {
  fileprivate func droppingFirst() -> Pointer {
    Pointer(keys: tokens.dropFirst().map { String(decoding: $0.key, as: UTF8.self) })
  }
}
