/// Where something stands in a file; both count from 1, columns in characters.
public struct DocumentPosition: Hashable, Sendable {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// One value of a YAML or JSON document, with its place in the file.
public struct DocumentNode: Sendable {
  public enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([DocumentNode])
    case object([Member])
  }

  public struct Member: Sendable {
    public var name: String
    public var namePosition: DocumentPosition
    public var node: DocumentNode
  }

  /// Name of the file, for errors.
  public let file: String
  public let position: DocumentPosition
  public let value: Value

  public init(file: String, position: DocumentPosition, value: Value) {
    self.file = file
    self.position = position
    self.value = value
  }

  /// What it is, for a person.
  public var kindName: String {
    switch value {
    case .null: "nothing"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  public var isNull: Bool {
    if case .null = value { true } else { false }
  }
}

/// What is wrong with a document, and where.
public struct DocumentError: Error, Equatable, Sendable, CustomStringConvertible {
  public let file: String
  /// nil when the file as a whole is wrong.
  public let position: DocumentPosition?
  public let message: String

  public init(file: String, position: DocumentPosition?, _ message: String) {
    self.file = file
    self.position = position
    self.message = message
  }

  /// `file:line:column: message`, as compilers write it.
  public var description: String {
    guard let position else { return "\(file): \(message)" }
    return "\(file):\(position.line):\(position.column): \(message)"
  }
}

/// Typed reads; each names the place and what was expected.
extension DocumentNode {
  public func error(_ message: String) -> DocumentError {
    DocumentError(file: file, position: position, message)
  }

  public func text() throws(DocumentError) -> String {
    guard case .text(let text) = value else { throw error("expected a text, found \(kindName)") }
    return text
  }

  /// A text, or a number or a truth value as it would be written.
  public func word() throws(DocumentError) -> String {
    switch value {
    case .text(let text): return text
    case .integer(let number): return String(number)
    case .bool(let flag): return flag ? "true" : "false"
    default: throw error("expected a word, found \(kindName)")
    }
  }

  public func bool() throws(DocumentError) -> Bool {
    guard case .bool(let flag) = value else { throw error("expected true or false, found \(kindName)") }
    return flag
  }

  public func integer(in range: ClosedRange<Int64>) throws(DocumentError) -> Int64 {
    guard case .integer(let number) = value else { throw error("expected a whole number, found \(kindName)") }
    guard range.contains(number) else {
      throw error("expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    return number
  }

  public func number(in range: ClosedRange<Double>) throws(DocumentError) -> Double {
    let number: Double
    switch value {
    case .integer(let whole): number = Double(whole)
    case .number(let given): number = given
    default: throw error("expected a number, found \(kindName)")
    }
    guard range.contains(number) else {
      throw error("expected a number from \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    return number
  }

  public func list() throws(DocumentError) -> [DocumentNode] {
    guard case .list(let nodes) = value else { throw error("expected a list, found \(kindName)") }
    return nodes
  }

  /// The members of an object whose names are not fixed.
  public func members() throws(DocumentError) -> [Member] {
    guard case .object(let members) = value else { throw error("expected an object, found \(kindName)") }
    return members
  }

  /// One of the words of a closed list.
  public func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type
  ) throws(DocumentError) -> Choice {
    let word = try text()
    if let choice = Choice(rawValue: word) { return choice }
    throw error("expected one of \(type.allCases.map(\.rawValue).joined(separator: ", ")), found '\(word)'")
  }
}
