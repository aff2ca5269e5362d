import Domain

/// Turns a record into what it says, or into the reason why it cannot be understood. Total: never traps, whatever
/// the bytes, and never looks at anything but its arguments.
public struct EventDecoder: Sendable {
  private let mapping: Mapping

  public init(mapping: Mapping = .builtIn) { self.mapping = mapping }

  public func decode(
    topicRole: TopicRole, topic: String, key: [UInt8]?, value: [UInt8]?,
    headers: [(name: String, value: [UInt8])] = [], now: Instant
  ) -> Decoded {
    let rule = mapping.rule(for: topic, role: topicRole)
    do throws(Refusal) {
      return try decode(RecordView(key: key, headers: headers), value: value, by: rule, now: now)
    } catch {
      return .refused(error)
    }
  }

  private func decode(
    _ record: RecordView, value: [UInt8]?, by rule: TopicRule, now: Instant
  ) throws(Refusal) -> Decoded {
    guard let value else { return try withoutValue(record, by: rule, now: now) }
    guard value.count <= EventLimits.recordBytesMax else {
      throw Refusal(.tooLarge, "the value has \(value.count) bytes; at most \(EventLimits.recordBytesMax) are read")
    }
    try refuseForeignFormat(record, value)
    let result = Self.parsed(value) { root -> Result<Decoded, Refusal> in
      var record = record
      record.value = root
      do throws(Refusal) {
        return .success(try events(of: record, by: rule, now: now))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func parsed(
    _ value: [UInt8], _ body: (JSONNode) -> Result<Decoded, Refusal>
  ) -> Result<Decoded, Refusal> {
    do {
      return try JSON.parse(value, body)
    } catch {
      return .failure(Refusal(error as? JSONError ?? .syntax))
    }
  }

  /// A record without a value: a CloudEvent in binary mode without data, or the wish to forget an order.
  private func withoutValue(_ record: RecordView, by rule: TopicRule, now: Instant) throws(Refusal) -> Decoded {
    if record.headers.contains(where: { $0.name == "ce_specversion" }) {
      return try events(of: record, by: rule, now: now)
    }
    guard rule.role == .orders else { return .skipped(type: "tombstone") }
    guard let key = record.key, let id = String(validating: key, as: UTF8.self), FieldReader.isIdentifier(id.utf8)
    else {
      throw Refusal(
        .badIdentifier,
        "key: a record without value means \"forget this order\" and needs the order id as its key, "
          + "1 to \(EventLimits.identifierBytesMax) bytes without control characters")
    }
    let stamp = Stamp(space: rule.space, sequence: 1, time: now)
    let order = OrderID(rule.subjectNamespace + id)
    return .event(.order(OrderEvent(order: order, what: .forgotten, stamp: stamp, eventID: "")))
  }

  /// Schema-registry framing begins with a zero byte, which no JSON document does.
  private func refuseForeignFormat(_ record: RecordView, _ value: [UInt8]) throws(Refusal) {
    if value.count > 4, value[0] == 0 {
      throw Refusal(
        .unsupportedFormat,
        "the value carries a schema registry's frame (Avro or Protobuf); this service reads JSON")
    }
    guard let type = record.headers.last(where: { $0.name == "content-type" }) else { return }
    let text = String(decoding: type.value, as: UTF8.self).lowercased()
    if text.contains("json") || text.isEmpty { return }
    throw Refusal(.unsupportedFormat, "header content-type: expected a JSON type, such as application/json")
  }

  private func events(of record: RecordView, by rule: TopicRule, now: Instant) throws(Refusal) -> Decoded {
    if rule.isBuiltIn { try checkEnvelope(record) }
    var built = EventCollector()
    for eventRule in rule.events where try holds(eventRule.conditions, record, rule) {
      for element in try elements(of: eventRule, record, rule) {
        let fields = FieldReader(record: record, rule: eventRule, element: element, isBuiltIn: rule.isBuiltIn)
        built.add(try EventBuilder(fields: fields, topic: rule, now: now).build())
      }
    }
    return built.decoded
  }

  private func holds(
    _ conditions: [Condition], _ record: RecordView, _ rule: TopicRule
  ) throws(Refusal) -> Bool {
    for condition in conditions where !condition.holds(in: record) { return false }
    return true
  }

  private func elements(
    of eventRule: EventRule, _ record: RecordView, _ rule: TopicRule
  ) throws(Refusal) -> [JSONNode?] {
    guard let each = eventRule.each else { return [nil] }
    guard let array = record.value?.node(at: each) else { return [] }
    guard array.kind == .array else {
      throw Refusal(.wrongType, "\(each): expected an array of events, found a JSON \(array.kind.rawValue)")
    }
    return array.elements.map { $0 }
  }

  /// What CloudEvents demands of the built-in form beyond the fields that are read.
  private func checkEnvelope(_ record: RecordView) throws(Refusal) {
    if let version = record.headers.last(where: { $0.name == "ce_specversion" }) {
      return try checkVersion(String(decoding: version.value, as: UTF8.self))
    }
    guard let root = record.value, root.kind == .object else {
      throw Refusal(.wrongType, "the value: expected a JSON object (a CloudEvent)")
    }
    guard let version = root["specversion"] else {
      throw Refusal(.missingField, "specversion: is required and missing; expected \"1.0\"")
    }
    guard let text = version.string else {
      throw Refusal(.wrongType, "specversion: expected the string \"1.0\", found a JSON \(version.kind.rawValue)")
    }
    try checkVersion(text)
    if root["data_base64"] != nil {
      throw Refusal(.unsupportedFormat, "data_base64: expected the event's data as JSON in the member data")
    }
  }

  private func checkVersion(_ version: String) throws(Refusal) {
    guard version == "1.0" else { throw Refusal(.unsupportedVersion, "specversion: expected \"1.0\"") }
  }
}

/// Gathers what the rules of one record made.
private struct EventCollector {
  private var events: [DeliveryEvent] = []
  private var skipped: String?

  mutating func add(_ built: EventBuilder.Built) {
    switch built {
    case .event(let event): events.append(event)
    case .skipped(let type): skipped = skipped ?? type
    }
  }

  var decoded: Decoded {
    if events.count > 1 { return .several(events) }
    if let event = events.first { return .event(event) }
    return .skipped(type: skipped ?? "unmatched")
  }
}

extension Refusal {
  fileprivate init(_ error: JSONError) {
    let code: Code =
      switch error {
      case .empty: .empty
      case .notUTF8: .notUTF8
      case .tooDeep: .tooDeep
      case .tooLarge, .noMemory: .tooLarge
      case .duplicateKey: .duplicateKey
      default: .notJSON
      }
    self.init(code, "the value \(error.explanation)")
  }
}
