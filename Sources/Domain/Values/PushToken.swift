/// A token that APNs gave to a phone: a secret address. It prints masked; only the push path reads `bytes`.
public struct PushToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// 1 to 200 raw bytes; never a fixed length (docs/apns.md).
  public let bytes: [UInt8]

  public init?(bytes: [UInt8]) {
    guard (1...200).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Reads hexadecimal of an even length from 2 to 400; nil on anything else.
  public init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), (2...400).contains(digits.count) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.nibble(digits[index]), let low = Self.nibble(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }

  /// Lower-case hexadecimal digits, appended to a request path.
  public func appendHexadecimal(to output: inout [UInt8]) {
    for byte in bytes {
      output.append(Self.digit(byte >> 4))
      output.append(Self.digit(byte & 15))
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x57 + nibble }

  public var description: String { "token(\(bytes.count) bytes)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which APNs a token belongs to; a token of one is invalid at the other.
public enum PushEnvironment: String, CaseIterable, Hashable, Sendable { case production, sandbox }
