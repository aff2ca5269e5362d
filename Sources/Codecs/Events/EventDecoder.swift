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
    return try Self.parsed(value, "value") { root throws(Refusal) in
      var record = record
      record.value = root
      guard rule.readsKeyDocument, let key = record.key else { return try events(of: record, by: rule, now: now) }
      return try Self.parsed(key, "key") { keyRoot throws(Refusal) in
        record.keyDocument = keyRoot
        return try events(of: record, by: rule, now: now)
      }
    }
  }

  private static func parsed(
    _ bytes: [UInt8], _ part: String, _ body: (JSONNode) throws(Refusal) -> Decoded
  ) throws(Refusal) -> Decoded {
    do {
      return try JSON.parse(bytes, body)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(error as? JSONError ?? .syntax, in: part)
    }
  }

  /// A record without a value: a CloudEvent in binary mode without data, or the wish to forget an order.
  private func withoutValue(_ record: RecordView, by rule: TopicRule, now: Instant) throws(Refusal) -> Decoded {
    if record.headers.contains(where: { $0.name == "ce_specversion" }) {
      return try events(of: record, by: rule, now: now)
    }
    guard rule.role == .orders else { return .skipped(type: "tombstone") }
    guard rule.readsKeyDocument, let key = record.key else { return try forgotten(record, by: rule, now: now) }
    return try Self.parsed(key, "key") { keyRoot throws(Refusal) in
      var record = record
      record.keyDocument = keyRoot
      return try forgotten(record, by: rule, now: now)
    }
  }

  /// The order is the subject where the mapping finds it in the key, else the key itself.
  private func forgotten(_ record: RecordView, by rule: TopicRule, now: Instant) throws(Refusal) -> Decoded {
    let order = OrderID(rule.namespaces.orders + (try subject(of: record, by: rule)))
    let stamp = Stamp(space: rule.space, sequence: 1, time: now)
    return .event(.order(OrderEvent(order: order, what: .forgotten, stamp: stamp, eventID: "")))
  }

  private func subject(of record: RecordView, by rule: TopicRule) throws(Refusal) -> String {
    for eventRule in rule.events {
      let fields = FieldReader(record: record, rule: eventRule, element: nil)
      if let subject = try fields.identifier(.subject) { return subject }
    }
    guard let key = record.key, let id = String(validating: key, as: UTF8.self), FieldReader.isIdentifier(id.utf8)
    else {
      throw Refusal(
        .badIdentifier,
        "key: a record without value means \"forget this order\" and needs the order id as its key, "
          + "1 to \(EventLimits.identifierBytesMax) bytes without control characters")
    }
    return id
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
    for eventRule in rule.events {
      for element in try elements(of: eventRule, record)
      where eventRule.conditions.allSatisfy({ $0.holds(in: record, element: element) }) {
        let fields = FieldReader(record: record, rule: eventRule, element: element)
        built.add(try EventBuilder(fields: fields, topic: rule, now: now).build())
      }
    }
    return built.decoded
  }

  private func elements(of eventRule: EventRule, _ record: RecordView) throws(Refusal) -> [JSONNode?] {
    guard let each = eventRule.each else { return [nil] }
    guard let array = record.value?.node(at: each) else { return [] }
    guard array.kind == .array else {
      throw Refusal(.wrongType, "\(each): expected an array of events, found a JSON \(array.kind.rawValue)")
    }
    let elements: [JSONNode?] = array.elements.map { $0 }
    guard elements.count <= EventLimits.eventsPerRecordMax else {
      throw Refusal(.outOfRange, "\(each): expected at most \(EventLimits.eventsPerRecordMax) events in one record")
    }
    return elements
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
  fileprivate init(_ error: JSONError, in part: String) {
    let code: Code =
      switch error {
      case .empty: .empty
      case .notUTF8: .notUTF8
      case .tooDeep: .tooDeep
      case .tooLarge, .noMemory: .tooLarge
      case .duplicateKey: .duplicateKey
      default: .notJSON
      }
    self.init(code, "the \(part) \(error.explanation)")
  }
}
