import Codecs
import Domain

/// Reads the members of a JSON object that a caller sent. Unknown members are ignored.
struct BodyReader {
  static let installationExpectation = "the id of a registered installation"

  private let object: JSONNode
  private let path: String

  init(_ object: JSONNode, path: String = "") throws(BodyRefused) {
    guard object.kind == .object else { throw .invalid(pointer: path, expected: "an object") }
    self.object = object
    self.path = path
  }

  /// Parses `bytes` as one object and hands a reader for it to `body`.
  static func read<Result>(
    _ bytes: [UInt8], _ body: (BodyReader) throws(BodyRefused) -> Result
  ) throws(BodyRefused) -> Result {
    do {
      return try JSON.parse(bytes, depthMax: 8) { root in try body(BodyReader(root)) }
    } catch let error as BodyRefused {
      throw error
    } catch let error as JSONError {
      throw .malformed(error.explanation)
    } catch {
      throw .malformed("could not be read")
    }
  }

  func invalid(_ key: StaticString, _ expected: String) -> BodyRefused {
    .invalid(pointer: "\(path)/\(key)", expected: expected)
  }

  /// nil when the member is absent or null.
  private func node(_ key: StaticString) -> JSONNode? { object[key].flatMap { $0.isNull ? nil : $0 } }

  func isNull(_ key: StaticString) -> Bool { object[key]?.isNull == true }

  func reader(_ key: StaticString) throws(BodyRefused) -> BodyReader? {
    guard let node = node(key) else { return nil }
    return try BodyReader(node, path: "\(path)/\(key)")
  }

  /// At most `max` elements, each an object.
  func readers(_ key: StaticString, max: Int) throws(BodyRefused) -> [BodyReader] {
    guard let list = node(key) else { return [] }
    guard list.kind == .array else { throw invalid(key, "an array") }
    var readers: [BodyReader] = []
    for element in list.elements {
      guard readers.count < max else { throw invalid(key, "at most \(max) elements") }
      readers.append(try BodyReader(element, path: "\(path)/\(key)/\(readers.count)"))
    }
    return readers
  }

  func members(_ key: StaticString, max: Int) throws(BodyRefused) -> [(name: String, value: JSONNode)] {
    guard let node = node(key) else { return [] }
    guard node.kind == .object else { throw invalid(key, "an object") }
    let members = node.members.map { (name: $0.key.string ?? "", value: $0.value) }
    guard members.count <= max else { throw invalid(key, "at most \(max) members") }
    return members
  }

  func integer(_ key: StaticString) throws(BodyRefused) -> Int64? {
    guard let node = node(key) else { return nil }
    guard let value = node.int64 else { throw invalid(key, "an integer of 64 bits") }
    return value
  }

  /// The registration's revision: required, at least 0.
  func revision() throws(BodyRefused) -> Int64 {
    guard let revision = try integer("revision"), revision >= 0 else {
      throw invalid("revision", "an integer of at least 0 that grows with every change on the phone")
    }
    return revision
  }

  func bool(_ key: StaticString) throws(BodyRefused) -> Bool? {
    guard let node = node(key) else { return nil }
    guard let value = node.bool else { throw invalid(key, "true or false") }
    return value
  }

  /// A text of 1 to `bytesMax` bytes without control characters.
  func text(_ key: StaticString, bytesMax: Int = RegistrationLimits.wordBytesMax) throws(BodyRefused) -> String? {
    guard let node = node(key) else { return nil }
    guard let text = node.string, text.utf8.count <= bytesMax, RegistrationLimits.isIdentifier(text) else {
      throw invalid(key, "text of 1 to \(bytesMax) bytes without control characters")
    }
    return text
  }

  func identifier(_ key: StaticString) throws(BodyRefused) -> String? {
    try text(key, bytesMax: RegistrationLimits.idBytesMax)
  }

  func required<Value>(_ key: StaticString, _ value: Value?, _ expected: String) throws(BodyRefused) -> Value {
    guard let value else { throw invalid(key, expected) }
    return value
  }

  func word<Word: RawRepresentable & CaseIterable>(_ key: StaticString) throws(BodyRefused) -> Word?
  where Word.RawValue == String {
    guard let node = node(key) else { return nil }
    guard let word = node.string.flatMap(Word.init(rawValue:)) else {
      throw invalid(key, "one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return word
  }

  func token(_ key: StaticString) throws(BodyRefused) -> PushToken? {
    guard let node = node(key) else { return nil }
    guard let token = node.string.flatMap(PushToken.init(hexadecimal:)) else {
      throw invalid(key, RegistrationLimits.tokenExpectation)
    }
    return token
  }

  func instant(_ key: StaticString) throws(BodyRefused) -> Instant? {
    guard let node = node(key) else { return nil }
    guard let instant = node.string.flatMap(RFC3339.parse) else {
      throw invalid(key, "a date and time with offset, such as 2026-11-30T09:12:33Z")
    }
    return instant
  }

  /// What a report says of a field: nothing, that it is cleared, or its value.
  func change<Value>(_ key: StaticString, _ value: Value?) -> Change<Value> {
    if let value { return .set(value) }
    return isNull(key) ? .clear : .keep
  }
}
