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
