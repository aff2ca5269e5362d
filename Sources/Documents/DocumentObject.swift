/// An object whose names are known: anything else in it is a mistake and said so.
public struct DocumentObject: Sendable {
  public let node: DocumentNode
  private let members: [String: DocumentNode]

  /// - Throws: when the node is no object or has a name that is not in `names`.
  public init(_ node: DocumentNode, names: [String]) throws(DocumentError) {
    self.node = node
    var members: [String: DocumentNode] = [:]
    for member in try node.members() {
      guard names.contains(member.name) else {
        throw DocumentError(
          file: node.file, position: member.namePosition, Self.unknown(member.name, among: names))
      }
      members[member.name] = member.node
    }
    self.members = members
  }

  /// The member of that name; nil when it is missing or null.
  public subscript(name: String) -> DocumentNode? {
    members[name].flatMap { $0.isNull ? nil : $0 }
  }

  public func required(_ name: String) throws(DocumentError) -> DocumentNode {
    guard let member = self[name] else { throw node.error("'\(name)' is required here and missing") }
    return member
  }

  private static func unknown(_ name: String, among names: [String]) -> String {
    let near = names.min { distance(name, $0) < distance(name, $1) }
    if let near, distance(name, near) <= 2 { return "there is no '\(name)' here; did you mean '\(near)'?" }
    return "there is no '\(name)' here; expected one of \(names.joined(separator: ", "))"
  }

  /// Edits between two short words.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in right.enumerated() {
        let substituted = diagonal + (character == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
