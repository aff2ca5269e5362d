/// Base64url without padding (RFC 4648 section 5), as JOSE uses it.
enum Base64URL {
  /// Nil for anything but the alphabet in a possible length.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bits: UInt32 = 0
    var count = 0
    var bytes: [UInt8] = []
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      bits = (bits << 6) | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8((bits >> UInt32(count)) & 0xFF))
      }
    }
    return count == 6 ? nil : bytes
  }

  static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = (bits << 8) | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int((bits >> UInt32(count)) & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int((bits << UInt32(6 - count)) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
