/// Properties handed through to librdkafka, written `key=value;key=value`. A semicolon or backslash inside a value
/// is written `\;` or `\\`. Values may be secrets: they never appear in errors or descriptions.
public struct KafkaProperties: Equatable, Sendable, CustomStringConvertible {
  public private(set) var pairs: [Pair] = []

  public struct Pair: Equatable, Sendable {
    public var name: String
    public var value: String
  }

  /// What delivery rests on and must not be set from outside.
  static let reserved: Set<String> = [
    "bootstrap.servers", "group.id", "enable.auto.offset.store", "enable.auto.commit", "enable.idempotence", "acks",
    "request.required.acks", "enable.partition.eof",
  ]

  public init() {}

  public init(_ text: String) throws(KafkaError) {
    for part in Self.split(text) where !part.allSatisfy(\.isWhitespace) {
      guard let equals = part.firstIndex(of: "="), equals != part.startIndex else {
        throw KafkaError(.configuration, "property \(pairs.count + 1): expected key=value, separated by semicolons")
      }
      let name = Self.trimmed(part[..<equals])
      guard !Self.reserved.contains(name) else {
        throw KafkaError(.configuration, "property \(name): is set by this service and cannot be given")
      }
      pairs.append(Pair(name: name, value: String(part[part.index(after: equals)...])))
    }
  }

  public var description: String { pairs.map { "\($0.name)=..." }.joined(separator: ";") }

  private static func split(_ text: String) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in text {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case ";" where !isEscaped: parts.append("")
      default: parts[parts.count - 1].append(character)
      }
      isEscaped = false
    }
    return parts
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
