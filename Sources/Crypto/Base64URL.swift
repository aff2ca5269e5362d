/// base64url without padding (RFC 4648 section 5), as JWT and JWK use it.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(pending >> bits & 63)])
      }
      pending &= 1 << bits - 1
    }
    if bits > 0 { output.append(alphabet[Int(pending << (6 - bits) & 63)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// nil on any foreign character (padding included), on an impossible length, and on stray bits at the end.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count * 3 / 4)
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      pending = pending << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
      pending &= 1 << bits - 1
    }
    return bits < 6 && pending == 0 ? output : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character - 0x41)
    case 0x61...0x7A: UInt32(character - 0x61 + 26)
    case 0x30...0x39: UInt32(character - 0x30 + 52)
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}
