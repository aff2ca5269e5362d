import Domain

/// A stored value that cannot be read back: it is damaged, or a newer version of this program wrote it.
public struct RecordError: Error, Equatable, CustomStringConvertible {
  public var record: String
  public var what: String

  init(_ record: String, _ what: String) {
    self.record = record
    self.what = what
  }

  public var description: String { "a stored \(record) cannot be read: \(what)" }

  static func missing(_ field: String, in record: String) -> RecordError {
    RecordError(record, "field `\(field)` is missing or of another type than expected")
  }
}

/// Reads one object of a record. Unknown members are ignored, so that an older program can read a newer record of the
/// same version.
struct RecordReader {
  let node: JSONNode
  let record: String

  func require<Value>(_ value: Value?, _ field: StaticString) throws -> Value {
    guard let value else { throw RecordError.missing("\(field)", in: record) }
    return value
  }

  func optionalText(_ field: StaticString) -> String? { node[field]?.string }
  func text(_ field: StaticString) throws -> String { try require(node[field]?.string, field) }
  func optionalInteger(_ field: StaticString) -> Int64? { node[field]?.int64 }
  func integer(_ field: StaticString) throws -> Int64 { try require(node[field]?.int64, field) }
  func optionalTime(_ field: StaticString) -> Instant? { node[field]?.int64.map(Instant.init(microseconds:)) }
  func time(_ field: StaticString) throws -> Instant { try require(optionalTime(field), field) }
  func number(_ field: StaticString) throws -> Double { try require(node[field]?.double, field) }
  func flag(_ field: StaticString) -> Bool { node[field]?.bool ?? false }

  func stage(_ field: StaticString) throws -> Stage { try require(Stage(name: text(field)), field) }

  func version(_ newest: Int64) throws {
    let version = try integer("v")
    guard (1...newest).contains(version) else {
      throw RecordError(record, "it has version \(version), versions 1 to \(newest) were expected")
    }
  }
}
