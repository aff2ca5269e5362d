import Domain

/// One record as the decoder sees it.
struct RecordView {
  var key: [UInt8]?
  var headers: [(name: String, value: [UInt8])]
  /// The root of the value; nil when there is no value (a CloudEvent in binary mode without data).
  var value: JSONNode?
  /// The key's root, when a rule reads the key as JSON.
  var keyDocument: JSONNode?
}

/// A field's value where it was found.
enum FieldValue {
  case json(JSONNode)
  case text(String)

  var kindName: String {
    switch self {
    case .json(let node): node.kind.rawValue
    case .text: "string"
    }
  }
}

/// Reads the fields of one event by a rule. Absent and null are the same: the event says nothing about the field.
struct FieldReader {
  let record: RecordView
  let rule: EventRule
  /// The element of the rule's `each`; nil without one.
  let element: JSONNode?

  func value(_ field: EventField) throws(Refusal) -> FieldValue? {
    guard let fieldRule = rule[field] else { return nil }
    for source in fieldRule.sources {
      if case .constant(let text) = source { return .text(text) }
      guard let found = try resolve(source, for: field) else { continue }
      guard let words = fieldRule.words else { return found }
      return try translate(found, by: words, field)
    }
    return nil
  }

  private func resolve(_ source: FieldSource, for field: EventField) throws(Refusal) -> FieldValue? {
    switch source {
    case .value(let pointer): try node(at: pointer, from: record.value, for: field).map(FieldValue.json)
    case .element(let pointer): try node(at: pointer, from: element, for: field).map(FieldValue.json)
    case .keyDocument(let pointer): try node(at: pointer, from: record.keyDocument, for: field).map(FieldValue.json)
    case .header(let name): try header(name, for: field).map(FieldValue.text)
    case .key: try keyText(for: field).map(FieldValue.text)
    case .constant(let text): .text(text)
    }
  }

  private func node(at pointer: Pointer, from root: JSONNode?, for field: EventField) throws(Refusal) -> JSONNode? {
    guard var node = root else { return nil }
    for token in pointer.tokens {
      let next: JSONNode?
      switch node.kind {
      case .object: next = node.member(token.key)
      case .array: next = token.index.flatMap { node.element(at: $0) }
      case .null: return nil
      default: throw wrongType(field, expected: "an object on the way to it", found: node.kind.rawValue)
      }
      guard let next else { return nil }
      node = next
    }
    return node.isNull ? nil : node
  }

  /// Whether the record says null where the field is looked for, or so many levels above it.
  func isExplicitNull(_ field: EventField, levelsUp: Int = 0) -> Bool {
    guard let fieldRule = rule[field] else { return false }
    return fieldRule.sources.contains { source in
      switch source {
      case .value(let pointer): record.value?.hasNull(at: pointer.tokens.dropLast(levelsUp)) ?? false
      case .element(let pointer): element?.hasNull(at: pointer.tokens.dropLast(levelsUp)) ?? false
      default: false
      }
    }
  }

  private func header(_ name: String, for field: EventField) throws(Refusal) -> String? {
    guard let header = record.headers.last(where: { $0.name == name }) else { return nil }
    guard let text = String(validating: header.value, as: UTF8.self) else {
      throw Refusal(.notUTF8, "\(label(field)): expected UTF-8 in the header \(name)")
    }
    return text
  }

  private func keyText(for field: EventField) throws(Refusal) -> String? {
    guard let key = record.key else { return nil }
    guard let text = String(validating: key, as: UTF8.self) else {
      throw Refusal(.notUTF8, "\(label(field)): expected UTF-8 in the record's key")
    }
    return text
  }

  private func translate(
    _ value: FieldValue, by words: [String: String], _ field: EventField
  ) throws(Refusal) -> FieldValue? {
    let word: String
    switch value {
    case .text(let text): word = text
    case .json(let node):
      if let text = node.string {
        word = text
      } else if let number = node.int64 {
        word = String(number)
      } else if let flag = node.bool {
        word = flag ? "true" : "false"
      } else {
        throw wrongType(field, expected: "a word of the mapping's list", found: node.kind.rawValue)
      }
    }
    if let ours = words[word] ?? words["*"] { return .text(ours) }
    if field == .type { return .text(word) }
    throw Refusal(.unknownWord, "\(label(field)): expected one of the words that the mapping lists")
  }

  /// The field's name for a person: its place in the built-in form and, under a mapping, where it was looked for.
  func label(_ field: EventField) -> String {
    rule[field]?.origin.map { "\(field.path) (from \($0))" } ?? field.path
  }

  func missing(_ field: EventField) -> Refusal { Refusal(.missingField, "\(label(field)): is required and missing") }

  func wrongType(_ field: EventField, expected: String, found: String) -> Refusal {
    Refusal(.wrongType, "\(label(field)): expected \(expected), found \(found == "null" ? "" : "a JSON ")\(found)")
  }
}

extension JSONNode {
  func element(at index: Int) -> JSONNode? {
    var position = 0
    for element in elements {
      if position == index { return element }
      position += 1
    }
    return nil
  }
}
