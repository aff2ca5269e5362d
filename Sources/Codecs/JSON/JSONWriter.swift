/// Writes one JSON document by appending bytes: no intermediate values, the same bytes for the same calls.
///
/// Commas are placed by the writer; balanced begins and ends, and a key before each member, are up to the caller.
public struct JSONWriter {
  public private(set) var bytes: [UInt8]
  private var needsComma = false

  public init(capacity: Int = 512) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { close(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  /// A member's name; it must need no escaping.
  public mutating func key(_ name: StaticString) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A member's name known only at run time.
  public mutating func key(escaping name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A text that needs no escaping.
  public mutating func string(_ text: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func int(_ value: some FixedWidthInteger) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = UInt64(value.magnitude)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = 20
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: digits[first...])
    }
  }

  /// The shortest digits that read back as the same number, without a fraction where there is none; `null` when it
  /// is not finite.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return int(whole) }
    fraction(value)
  }

  /// A number that stays one with a fraction or exponent when it is read again; it must be finite.
  mutating func fraction(_ value: Double) {
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  public mutating func null() { literal("null") }

  private mutating func literal(_ text: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var plainFrom = 0
    for index in text.indices {
      let byte = text[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      bytes.append(contentsOf: text[plainFrom..<index])
      plainFrom = index + 1
      appendEscape(of: byte)
    }
    bytes.append(contentsOf: text[plainFrom...])
  }

  private mutating func appendEscape(of byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default:
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      bytes.append(Self.hexDigit(byte >> 4))
      bytes.append(Self.hexDigit(byte & 15))
    }
  }

  private static func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }
}

/// Members in one call; an absent optional is left out, never written as null.
extension JSONWriter {
  public mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }

  public mutating func member(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    key(name)
    int(value)
  }

  /// A number that is not finite is left out too.
  public mutating func member(_ name: StaticString, _ value: Double?) {
    guard let value, value.isFinite else { return }
    key(name)
    double(value)
  }

  public mutating func member(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    key(name)
    bool(value)
  }
}
