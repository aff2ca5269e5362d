/// Strict JSON (RFC 8259) with the place of everything, for files that people edit. Equal names are refused.
struct JSONReader {
  private let bytes: [UInt8]
  private let file: String
  private var at = 0
  private var line = 1
  private var lineStart = 0
  private var depth = 0

  init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  mutating func document() throws(DocumentError) -> DocumentNode {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw DocumentError(file: file, position: nil, "is not UTF-8")
    }
    let node = try value()
    skipSpace()
    guard at == bytes.count else { throw error("expected the end of the file") }
    return node
  }

  private mutating func value() throws(DocumentError) -> DocumentNode {
    skipSpace()
    let start = position
    depth += 1
    defer { depth -= 1 }
    guard depth <= Document.depthMax else { throw error("is nested over \(Document.depthMax) levels deep") }
    guard let byte = peek else { throw error("expected a value, found the end of the file") }
    let value: DocumentNode.Value
    switch byte {
    case UInt8(ascii: "{"): value = .object(try members())
    case UInt8(ascii: "["): value = .list(try elements())
    case UInt8(ascii: "\""): value = .text(try string())
    case UInt8(ascii: "-"), 0x30...0x39: value = try number()
    default: value = try word()
    }
    return DocumentNode(file: file, position: start, value: value)
  }

  private mutating func members() throws(DocumentError) -> [DocumentNode.Member] {
    at += 1
    var members: [DocumentNode.Member] = []
    var names: Set<String> = []
    skipSpace()
    if take("}") { return members }
    repeat {
      skipSpace()
      let start = position
      guard peek == UInt8(ascii: "\"") else { throw error("expected a name in double quotes") }
      let name = try string()
      guard names.insert(name).inserted else {
        throw DocumentError(file: file, position: start, "the name '\(name)' stands here twice")
      }
      skipSpace()
      guard take(":") else { throw error("expected a colon after '\(name)'") }
      members.append(DocumentNode.Member(name: name, namePosition: start, node: try value()))
      skipSpace()
    } while take(",")
    guard take("}") else { throw error("expected a comma or a closing brace") }
    return members
  }

  private mutating func elements() throws(DocumentError) -> [DocumentNode] {
    at += 1
    var nodes: [DocumentNode] = []
    skipSpace()
    if take("]") { return nodes }
    repeat {
      nodes.append(try value())
      skipSpace()
    } while take(",")
    guard take("]") else { throw error("expected a comma or a closing bracket") }
    return nodes
  }

  private mutating func word() throws(DocumentError) -> DocumentNode.Value {
    for (text, value) in [("true", DocumentNode.Value.bool(true)), ("false", .bool(false)), ("null", .null)]
    where bytes[at...].starts(with: text.utf8) {
      at += text.utf8.count
      return value
    }
    throw error("expected a value")
  }

  private mutating func number() throws(DocumentError) -> DocumentNode.Value {
    let start = at
    while let byte = peek, "+-.eE0123456789".utf8.contains(byte) { at += 1 }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    let digits = text.drop { $0 == "-" }
    let hasLeadingZero = digits.hasPrefix("0") && digits.dropFirst().first.map { $0.isNumber } ?? false
    guard !hasLeadingZero, !text.hasSuffix("."), digits.first?.isNumber == true else {
      throw error("'\(text)' is not a number in JSON")
    }
    if let whole = Int64(text) { return .integer(whole) }
    guard let number = Double(text), number.isFinite else { throw error("'\(text)' is not a number that can be read") }
    return .number(number)
  }

  private mutating func string() throws(DocumentError) -> String {
    at += 1
    var units: [UInt16] = []
    var text = ""
    var plainFrom = at
    func plain(_ end: Int) -> String { String(decoding: bytes[plainFrom..<end], as: UTF8.self) }
    while let byte = peek {
      if byte == UInt8(ascii: "\"") {
        text += plain(at)
        at += 1
        return text
      }
      guard byte >= 0x20 else { throw error("expected a closing quote before the end of the line") }
      at += 1
      guard byte == UInt8(ascii: "\\") else { continue }
      text += plain(at - 1)
      units = [try escape()]
      if UTF16.isLeadSurrogate(units[0]), take("\\") { units.append(try escape()) }
      guard let escaped = String(validating: units, as: UTF16.self) else { throw error("half of a surrogate pair") }
      text += escaped
      plainFrom = at
    }
    throw error("expected a closing quote")
  }

  private mutating func escape() throws(DocumentError) -> UInt16 {
    guard let byte = peek else { throw error("expected an escape") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "u"):
      let digits = bytes[at..<min(at + 4, bytes.count)]
      guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw error("expected four hexadecimal digits") }
      at += 4
      return unit
    default: throw error("there is no such escape")
    }
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == character.value else { return false }
    at += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      at += 1
      if byte == 0x0a {
        line += 1
        lineStart = at
      }
    }
  }

  private var position: DocumentPosition {
    DocumentPosition(line: line, column: String(decoding: bytes[lineStart..<at], as: UTF8.self).count + 1)
  }

  private func error(_ message: String) -> DocumentError {
    DocumentError(file: file, position: position, message)
  }
}
