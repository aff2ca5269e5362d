/// One value of a parsed document. Valid only inside the closure that `JSON.parse` gave it to.
///
/// It is a position on simdjson's tape: 64-bit words with the type in the top byte and a payload of 56 bits.
public struct JSONNode {
  public enum Kind: String, Sendable { case object, array, string, number, bool, null }

  let tape: UnsafePointer<UInt64>
  let strings: UnsafePointer<UInt8>
  let at: Int

  @inline(__always) private var type: UInt8 { UInt8(truncatingIfNeeded: tape[at] >> 56) }
  @inline(__always) private var payload: UInt64 { tape[at] & 0x00ff_ffff_ffff_ffff }

  public var kind: Kind {
    switch type {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  public var isNull: Bool { type == UInt8(ascii: "n") }

  public var bool: Bool? {
    switch type {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// A number written as an integer (no fraction, no exponent) that fits; nil on anything else, `1.0` too.
  public var int64: Int64? {
    switch type {
    case UInt8(ascii: "l"): Int64(bitPattern: tape[at + 1])
    default: nil
    }
  }

  /// As `int64`, for integers that are not negative.
  public var uint64: UInt64? {
    switch type {
    case UInt8(ascii: "u"): tape[at + 1]
    case UInt8(ascii: "l"): UInt64(exactly: Int64(bitPattern: tape[at + 1]))
    default: nil
    }
  }

  /// Any number; always finite.
  public var double: Double? {
    switch type {
    case UInt8(ascii: "d"): Double(bitPattern: tape[at + 1])
    case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[at + 1]))
    case UInt8(ascii: "u"): Double(tape[at + 1])
    default: nil
    }
  }

  /// The text with its escapes resolved (it may hold U+0000); nil when this is not a string.
  public var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  /// The bytes of `string`, in place.
  public var utf8: UnsafeBufferPointer<UInt8>? {
    guard type == UInt8(ascii: "\"") else { return nil }
    let start = strings + Int(truncatingIfNeeded: payload)
    let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: start + 4, count: Int(length))
  }

  /// Whether this is exactly that string.
  public func equals(_ text: StaticString) -> Bool {
    utf8?.equals(text) ?? false
  }

  @inline(__always) var indexAfter: Int {
    switch type {
    case UInt8(ascii: "{"), UInt8(ascii: "["): Int(UInt32(truncatingIfNeeded: payload))
    case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): at + 2
    default: at + 1
    }
  }

  @inline(__always) func node(at index: Int) -> JSONNode { JSONNode(tape: tape, strings: strings, at: index) }
}

extension JSONNode {
  /// The members of an object in the order written; empty for anything else. Keys are string nodes.
  public var members: Members { Members(self) }
  /// The elements of an array; empty for anything else.
  public var elements: Elements { Elements(self) }

  /// The member of that name; nil when there is none or this is not an object.
  public subscript(key: StaticString) -> JSONNode? {
    for (name, value) in members where name.equals(key) { return value }
    return nil
  }

  /// The member of a name known only at run time.
  public func member(named key: String) -> JSONNode? { member(Array(key.utf8)) }

  func member(_ key: [UInt8]) -> JSONNode? {
    for (name, value) in members where name.utf8?.elementsEqual(key) == true { return value }
    return nil
  }

  public struct Members: Sequence, IteratorProtocol {
    private var upcoming: JSONNode
    private let end: Int

    init(_ object: JSONNode) {
      upcoming = object.node(at: object.at + 1)
      end = object.kind == .object ? object.indexAfter - 1 : 0
    }

    public mutating func next() -> (key: JSONNode, value: JSONNode)? {
      guard upcoming.at < end else { return nil }
      let key = upcoming
      let value = key.node(at: key.at + 1)
      upcoming = key.node(at: value.indexAfter)
      return (key, value)
    }
  }

  public struct Elements: Sequence, IteratorProtocol {
    private var upcoming: JSONNode
    private let end: Int

    init(_ array: JSONNode) {
      upcoming = array.node(at: array.at + 1)
      end = array.kind == .array ? array.indexAfter - 1 : 0
    }

    public mutating func next() -> JSONNode? {
      guard upcoming.at < end else { return nil }
      let element = upcoming
      upcoming = element.node(at: element.indexAfter)
      return element
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
  }
}
