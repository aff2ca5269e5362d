/// The net under the closed set of fields: error texts of libraries and peers pass through here.
enum Redaction {
  /// Runs of so many letters and digits, with at least one digit, are taken for tokens, keys or signatures.
  static let secretRunMin = 32

  /// `text` with every long run of token characters replaced by `***`, and everything after `://user:` up to `@`.
  static func masked(_ text: String) -> String {
    var output: [UInt8] = []
    var run: [UInt8] = []
    for byte in maskedCredentials(text).utf8 {
      if isTokenCharacter(byte) {
        run.append(byte)
      } else {
        append(&run, to: &output)
        output.append(byte)
      }
    }
    append(&run, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// `text` cut to whole characters within `bytesMax` bytes.
  static func bounded(_ text: String, bytesMax: Int) -> String {
    guard text.utf8.count > bytesMax else { return text }
    var end = text.startIndex
    var bytes = 0
    while end < text.endIndex {
      let next = text.index(after: end)
      bytes += text[end..<next].utf8.count
      guard bytes <= bytesMax else { break }
      end = next
    }
    return text[..<end] + "..."
  }

  private static func append(_ run: inout [UInt8], to output: inout [UInt8]) {
    let hasDigit = run.contains { (0x30...0x39).contains($0) }
    output += run.count >= secretRunMin && hasDigit ? Array("***".utf8) : run
    run.removeAll(keepingCapacity: true)
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
    default: false
    }
  }

  private static func maskedCredentials(_ text: String) -> String {
    guard let scheme = text.firstIndex(of: "@"), let start = text[..<scheme].range(of: "://") else { return text }
    return text[..<start] + "***" + text[scheme...]
  }
}

extension Substring {
  /// The index behind the last occurrence of `pattern`, in which only ASCII is looked for.
  fileprivate func range(of pattern: String) -> String.Index? {
    var index = endIndex
    while index > startIndex {
      index = self.index(before: index)
      if self[index...].hasPrefix(pattern) { return self.index(index, offsetBy: pattern.count) }
    }
    return nil
  }
}
