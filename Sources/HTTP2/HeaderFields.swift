/// A header field as it was received: the name in lower case.
public struct HeaderField: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Request header fields in one block of bytes, each with the way HPACK may keep it.
///
/// Build those that many requests share once and hand the same value to all of them.
public struct HeaderFields: Sendable {
  public enum Indexing: Sendable {
    /// The dynamic table may keep the field.
    case allowed
    /// Kept once on each connection, for its name; later a literal that is never indexed.
    case firstOnConnection
    /// A literal that is never indexed: secrets, and values that do not come again.
    case never
  }

  struct Entry {
    var name: StaticString
    var valueOffset: Int
    var valueCount: Int
    var indexing: Indexing
  }

  private(set) var entries: [Entry] = []
  private(set) var bytes: [UInt8] = []

  public init() {}

  public var isEmpty: Bool { entries.isEmpty }

  /// Adds a field; `name` must be lower-case ASCII.
  public mutating func add(_ name: StaticString, _ value: String, indexing: Indexing = .allowed) {
    add(name, bytes: value.utf8, indexing: indexing)
  }

  /// Adds a field whose value is given as bytes.
  public mutating func add(_ name: StaticString, bytes value: some Collection<UInt8>, indexing: Indexing = .allowed) {
    entries.append(Entry(name: name, valueOffset: bytes.count, valueCount: value.count, indexing: indexing))
    bytes.append(contentsOf: value)
  }
}
