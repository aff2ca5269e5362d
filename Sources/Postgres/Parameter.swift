/// One parameter of a statement, in PostgreSQL's binary form.
public struct Parameter: Sendable {
  let type: UInt32
  /// nil is NULL.
  let bytes: [UInt8]?

  private init(_ type: UInt32, _ bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }

  public static func text(_ value: String?) -> Parameter { Parameter(OID.text, value.map { Array($0.utf8) }) }
  public static func bytes(_ value: [UInt8]?) -> Parameter { Parameter(OID.bytea, value) }
  public static func bool(_ value: Bool?) -> Parameter { Parameter(OID.bool, value.map { [$0 ? 1 : 0] }) }
  public static func int16(_ value: Int16?) -> Parameter { Parameter(OID.int2, value.map(bigEndian)) }
  public static func int32(_ value: Int32?) -> Parameter { Parameter(OID.int4, value.map(bigEndian)) }
  public static func int64(_ value: Int64?) -> Parameter { Parameter(OID.int8, value.map(bigEndian)) }
  public static func double(_ value: Double?) -> Parameter {
    Parameter(OID.float8, value.map { bigEndian($0.bitPattern) })
  }

  public static func texts(_ values: [String?]) -> Parameter {
    array(OID.textArray, of: OID.text, values) { $1.append(contentsOf: $0.utf8) }
  }
  public static func byteStrings(_ values: [[UInt8]?]) -> Parameter {
    array(OID.byteaArray, of: OID.bytea, values) { $1 += $0 }
  }
  public static func bools(_ values: [Bool?]) -> Parameter {
    array(OID.boolArray, of: OID.bool, values) { $1.append($0 ? 1 : 0) }
  }
  public static func int16s(_ values: [Int16?]) -> Parameter {
    array(OID.int2Array, of: OID.int2, values) { append($0, to: &$1) }
  }
  public static func int32s(_ values: [Int32?]) -> Parameter {
    array(OID.int4Array, of: OID.int4, values) { append($0, to: &$1) }
  }
  public static func int64s(_ values: [Int64?]) -> Parameter {
    array(OID.int8Array, of: OID.int8, values) { append($0, to: &$1) }
  }
  public static func doubles(_ values: [Double?]) -> Parameter {
    array(OID.float8Array, of: OID.float8, values) { append($0.bitPattern, to: &$1) }
  }

  /// One dimension, lower bound 1; each element preceded by its length, or by -1 for NULL.
  private static func array<Element>(
    _ type: UInt32, of element: UInt32, _ values: [Element?], _ write: (Element, inout [UInt8]) -> Void
  ) -> Parameter {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + values.count * 24)
    append(Int32(values.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(1), to: &bytes)
    append(element, to: &bytes)
    guard !values.isEmpty else { return Parameter(type, bytes) }
    append(Int32(clamping: values.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for value in values {
      guard let value else {
        append(Int32(-1), to: &bytes)
        continue
      }
      let start = bytes.count
      append(Int32(0), to: &bytes)
      write(value, &bytes)
      let length = bigEndian(Int32(clamping: bytes.count - start - 4))
      bytes.replaceSubrange(start..<start + 4, with: length)
    }
    return Parameter(type, bytes)
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

/// Type numbers of PostgreSQL's catalogue that never change.
enum OID {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let float8: UInt32 = 701
  static let boolArray: UInt32 = 1000
  static let byteaArray: UInt32 = 1001
  static let int2Array: UInt32 = 1005
  static let int4Array: UInt32 = 1007
  static let textArray: UInt32 = 1009
  static let int8Array: UInt32 = 1016
  static let float8Array: UInt32 = 1022
}
