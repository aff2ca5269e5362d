/// A path of the API, split and decoded.
enum Path {
  /// The decoded segments; nil when an escape is broken, the result is not UTF-8, or it holds a control character.
  static func segments(_ path: String) -> [String]? {
    guard path.hasPrefix("/") else { return nil }
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = decoded(part) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let first = rest.popFirst(), let second = rest.popFirst(), let high = Hexadecimal.value(first),
        let low = Hexadecimal.value(second)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
