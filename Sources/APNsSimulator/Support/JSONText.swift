/// Builds one JSON object by hand: the log writes hundreds of thousands of these.
struct JSONText {
  private(set) var bytes: [UInt8]
  private var first = true

  init() {
    bytes = [UInt8(ascii: "{")]
    bytes.reserveCapacity(192)
  }

  mutating func add(_ name: StaticString, _ value: String) {
    key(name)
    Self.append(value, to: &bytes)
  }

  mutating func add(_ name: StaticString, _ value: Int64) {
    key(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func add(_ name: StaticString, _ value: Bool) {
    key(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// `json` must be JSON text already.
  mutating func add(_ name: StaticString, json: some Sequence<UInt8>) {
    key(name)
    bytes.append(contentsOf: json)
  }

  consuming func closed() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private mutating func key(_ name: StaticString) {
    if !first { bytes.append(UInt8(ascii: ",")) }
    first = false
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
