import Documents

/// Compiles one entry of `events`: when it applies and where its fields come from.
struct EventRuleCompiler {
  let mode: TopicRule.SequenceMode
  let namespaces: Namespaces
  let keyIsSubject: Bool

  func rule(_ node: DocumentNode) throws(DocumentError) -> EventRule {
    let object = try DocumentObject(node, names: ["when", "each", "fields"])
    var rule = EventRule()
    rule.keyIsSubject = keyIsSubject
    if let each = object["each"] { rule.each = try SourceReader.pointer(try each.text(), each) }
    for condition in try object["when"]?.list() ?? [] {
      rule.conditions.append(try self.condition(condition, hasElement: rule.each != nil))
    }
    let fields = try object.required("fields")
    for member in try fields.members() {
      let field = try self.field(member)
      rule[field] = try FieldCompiler(
        field: field, hasElement: rule.each != nil, namespace: namespace(of: field)
      ).rule(member.node)
    }
    try checkComplete(rule, fields)
    return rule
  }

  private func field(_ member: DocumentNode.Member) throws(DocumentError) -> EventField {
    let names = EventField.allCases.map(\.path)
    guard let field = EventField.allCases.first(where: { $0.path == member.name }) else {
      // The object reader knows how to name the nearest word.
      let lone = DocumentNode(file: member.node.file, position: member.namePosition, value: .object([member]))
      _ = try DocumentObject(lone, names: names)
      throw DocumentError(file: member.node.file, position: member.namePosition, "there is no such field")
    }
    if field == .sequence, mode == .time {
      throw DocumentError(
        file: member.node.file, position: member.namePosition,
        "'sequence' is not read where the sequence is the time; remove it, or set the topic's sequence to explicit")
    }
    return field
  }

  private func namespace(of field: EventField) -> String {
    switch field {
    case .user: namespaces.users
    case .riderID: namespaces.riders
    default: ""
    }
  }

  private func checkComplete(_ rule: EventRule, _ fields: DocumentNode) throws(DocumentError) {
    var required: [EventField] = [.type, .subject, .time]
    if mode == .explicit, rule.mayBeOfOrders { required.append(.sequence) }
    for field in required where rule[field] == nil {
      throw fields.error("the field '\(field.path)' is required and missing")
    }
  }

  private func condition(_ node: DocumentNode, hasElement: Bool) throws(DocumentError) -> Condition {
    let object = try DocumentObject(node, names: ["at", "is", "exists"])
    let source = try SourceReader.source(try object.required("at"), hasElement: hasElement)
    switch (object["is"], object["exists"]) {
    case (let words?, nil):
      var list: [String] = []
      if case .list(let nodes) = words.value {
        for word in nodes { list.append(try word.word()) }
      } else {
        list = [try words.word()]
      }
      return Condition(source: source, test: .equals(list))
    case (nil, let exists?): return Condition(source: source, test: try exists.bool() ? .present : .absent)
    default: throw node.error("expected either 'is' or 'exists' beside 'at'")
    }
  }
}

extension EventRule {
  /// Whether some record may become an order's event by this rule.
  var mayBeOfOrders: Bool {
    guard let type = self[.type] else { return true }
    let words = type.words.map { Array($0.values) } ?? []
    let constants = type.sources.compactMap { source in
      if case .constant(let word) = source { word } else { nil }
    }
    let types = (words + constants).compactMap { $0.withContiguousUTF8 { EventType($0) } }
    let isClosed = type.words != nil || constants.count == type.sources.count
    return !isClosed || types.contains { $0.role == .orders }
  }

  var readsKeyDocument: Bool {
    let sources = conditions.map(\.source) + fields.compactMap { $0 }.flatMap(\.sources)
    return sources.contains(where: \.isKeyDocument)
  }
}

/// Compiles where one field comes from.
struct FieldCompiler {
  let field: EventField
  let hasElement: Bool
  let namespace: String

  func rule(_ node: DocumentNode) throws(DocumentError) -> FieldRule {
    var rule = FieldRule(sources: [])
    if case .object = node.value {
      try readObject(node, into: &rule)
    } else {
      rule.sources = try sources(node)
    }
    rule.namespace = namespace
    rule.origin = "\(origin(node)), \(node.file):\(node.position.line):\(node.position.column)"
    if field == .type { try checkTypes(rule, node) }
    return rule
  }

  private func readObject(_ node: DocumentNode, into rule: inout FieldRule) throws(DocumentError) {
    let object = try DocumentObject(
      node, names: ["from", "constant", "default", "words", "format", "unit", "numericText"])
    if let constant = object["constant"] {
      guard object["from"] == nil, object["default"] == nil else {
        throw constant.error("'constant' stands alone, without 'from' and 'default'")
      }
      rule.sources = [.constant(try constant.word())]
    } else {
      rule.sources = try sources(try object.required("from"))
    }
    if let fallback = object["default"] { rule.sources.append(.constant(try fallback.word())) }
    if let words = object["words"] { rule.words = try self.words(words) }
    if let format = object["format"] { rule.time = try timeFormat(format) }
    if let unit = object["unit"] { rule.unit = try self.unit(unit) }
    rule.acceptsNumericText = try object["numericText"]?.bool() ?? false
  }

  private func sources(_ node: DocumentNode) throws(DocumentError) -> [FieldSource] {
    guard case .list(let nodes) = node.value else { return [try SourceReader.source(node, hasElement: hasElement)] }
    var sources: [FieldSource] = []
    for source in nodes { sources.append(try SourceReader.source(source, hasElement: hasElement)) }
    guard !sources.isEmpty else { throw node.error("expected at least one place to read from") }
    return sources
  }

  private func words(_ node: DocumentNode) throws(DocumentError) -> [String: String] {
    var words: [String: String] = [:]
    for member in try node.members() { words[member.name] = try member.node.word() }
    guard !words.isEmpty else { throw node.error("expected at least one word") }
    return words
  }

  private func timeFormat(_ node: DocumentNode) throws(DocumentError) -> TimeFormat {
    guard field.isTime else { throw node.error("'format' is for times; '\(field.path)' is none") }
    return try node.choice(TimeFormat.self)
  }

  private func unit(_ node: DocumentNode) throws(DocumentError) -> Unit {
    guard field.isMeasure else { throw node.error("'unit' is for positions and speeds; '\(field.path)' is none") }
    return try node.choice(Unit.self)
  }

  /// Every word that the mapping gives for a type must be one that this service knows, or `skip`.
  private func checkTypes(_ rule: FieldRule, _ node: DocumentNode) throws(DocumentError) {
    var given = rule.words.map { Array($0.values) } ?? []
    for case .constant(let word) in rule.sources { given.append(word) }
    for word in given.sorted() where word != "skip" && word.withContiguousUTF8({ EventType($0) }) == nil {
      throw node.error(
        "there is no event type '\(word)'; expected one of \(EventType.allWords.joined(separator: ", "))")
    }
  }

  private func origin(_ node: DocumentNode) -> String {
    switch node.value {
    case .text(let text): return text.isEmpty ? "the whole value" : text
    case .object(let members):
      guard let from = members.first(where: { $0.name == "from" })?.node else { return "a constant" }
      return origin(from)
    case .list(let nodes): return nodes.first.map(origin) ?? ""
    default: return ""
    }
  }
}

/// Reads the words for a place in a record.
enum SourceReader {
  /// `/a/b` in the value, `each:/a` in the element, `key` as text, `key:/a` in the key's JSON, `header:name`.
  static func source(_ node: DocumentNode, hasElement: Bool) throws(DocumentError) -> FieldSource {
    let text = try node.text()
    if text == "key" { return .key }
    guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("/") else { return .value(try pointer(text, node)) }
    let rest = String(text[text.index(after: colon)...])
    switch text[..<colon] {
    case "header": return .header(rest)
    case "key": return .keyDocument(try pointer(rest, node))
    case "each":
      guard hasElement else { throw node.error("'each:' needs an 'each' in this event") }
      return .element(try pointer(rest, node))
    default: throw node.error(expectation)
    }
  }

  static func pointer(_ text: String, _ node: DocumentNode) throws(DocumentError) -> Pointer {
    guard let pointer = Pointer(text) else { throw node.error(expectation) }
    return pointer
  }

  private static let expectation =
    "expected a JSON Pointer such as /data/order, or each:/pointer, key, key:/pointer or header:name"
}
