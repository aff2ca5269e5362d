/// What plain (unquoted) YAML words mean in the core schema of YAML 1.2: `yes`, `no`, `on` and dates are texts.
enum CoreSchema {
  static func value(of word: String) -> DocumentNode.Value {
    switch word {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE": .bool(true)
    case "false", "False", "FALSE": .bool(false)
    default: number(word) ?? .text(word)
    }
  }

  private static func number(_ word: String) -> DocumentNode.Value? {
    if word.hasPrefix("0x") { return Int64(word.dropFirst(2), radix: 16).map { .integer($0) } }
    if word.hasPrefix("0o") { return Int64(word.dropFirst(2), radix: 8).map { .integer($0) } }
    guard let first = word.utf8.first, "+-.0123456789".utf8.contains(first),
      word.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) })
    else { return nil }
    if let whole = Int64(word) { return .integer(whole) }
    return Double(word).flatMap { $0.isFinite ? .number($0) : nil }
  }
}
