import Domain

/// How one event is read out of one record: where each field comes from. The built-in form is such a rule too.
struct EventRule: Sendable {
  /// All must hold; a rule without conditions always applies.
  var conditions: [Condition] = []
  /// An array in the record whose elements each give one event; `element` sources start at the element.
  var each: Pointer?
  /// By `EventField.rawValue`; nil for fields that this rule does not read.
  private(set) var fields: [FieldRule?] = Array(repeating: nil, count: EventField.allCases.count)
  /// The record's key must be the order or rider id, when there is a key.
  var keyIsSubject = false

  subscript(field: EventField) -> FieldRule? {
    get { fields[field.rawValue] }
    set { fields[field.rawValue] = newValue }
  }
}

/// Where one field comes from and how it is turned into ours.
struct FieldRule: Sendable {
  /// Tried in order; the first that is present and not null counts.
  var sources: [FieldSource]
  /// The platform's word to ours.
  var words: [String: String]?
  /// Put before identifiers, so that equal ids of two markets stay two.
  var namespace = ""
  var time: TimeFormat = .rfc3339
  var unit: Unit = .asIs
  /// Numbers may come as JSON strings.
  var acceptsNumericText = false
}

enum FieldSource: Sendable {
  /// From the root of the record's value.
  case value(Pointer)
  /// From the element of `each`.
  case element(Pointer)
  /// From the record's key, read as JSON.
  case keyDocument(Pointer)
  case header(String)
  case key
  case constant(String)
}

struct Condition: Sendable {
  enum Test: Sendable {
    case present, absent
    case equals([String])
  }
  var source: FieldSource
  var test: Test
}

enum TimeFormat: String, Sendable, CaseIterable { case rfc3339, unixSeconds, unixMilliseconds, unixMicroseconds }

/// What a number counts. It is multiplied, then divided, so that whole divisors stay exact.
struct Unit: Sendable, Equatable {
  var multiplier = 1.0
  var divisor = 1.0

  static let asIs = Unit()
}

/// A JSON Pointer (RFC 6901), compiled.
struct Pointer: Sendable, Equatable, CustomStringConvertible {
  struct Token: Sendable, Equatable {
    var key: [UInt8]
    /// What the token means in an array; nil when it is no index.
    var index: Int?

    init(_ text: String) {
      key = Array(text.utf8)
      let isIndex = !key.isEmpty && key.count <= 6 && key.allSatisfy { (0x30...0x39).contains($0) }
      index = isIndex && (key.count == 1 || key[0] != 0x30) ? Int(text) : nil
    }
  }

  let tokens: [Token]
  let description: String

  /// Reads `/a/b/0`, with `~1` for a slash and `~0` for a tilde; nil on anything else. Empty is the whole document.
  init?(_ text: String) {
    guard text.isEmpty || text.hasPrefix("/") else { return nil }
    var tokens: [Token] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let token = Self.unescape(part) else { return nil }
      tokens.append(Token(token))
    }
    self.tokens = tokens
    description = text
  }

  /// A pointer of plain keys.
  init(keys: [String]) {
    tokens = keys.map(Token.init)
    description = keys.map { "/" + $0 }.joined()
  }

  private static func unescape(_ part: Substring) -> String? {
    guard part.contains("~") else { return String(part) }
    var result = ""
    var rest = part[...]
    while let character = rest.popFirst() {
      guard character == "~" else {
        result.append(character)
        continue
      }
      switch rest.popFirst() {
      case "0": result.append("~")
      case "1": result.append("/")
      default: return nil
      }
    }
    return result
  }
}
