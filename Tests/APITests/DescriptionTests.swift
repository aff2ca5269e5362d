import Documents
import Testing

@testable import API

/// api/openapi.yaml describes the routes that there are, and no others.
@Suite struct DescriptionTests {
  private struct Operation: Hashable, CustomStringConvertible {
    var method: String
    var path: String
    var tag: String
    var description: String { "\(method) \(path) for \(tag)" }
  }

  private static func described() throws -> Set<Operation> {
    let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/api/openapi.yaml"
    let root = try Document.read(path: path)
    var operations: Set<Operation> = []
    for path in try member(root, "paths").members() {
      for operation in try path.node.members() where operation.name != "parameters" {
        let tag = try member(operation.node, "tags").list().first?.text() ?? ""
        operations.insert(Operation(method: operation.name.uppercased(), path: path.name, tag: tag))
      }
    }
    return operations
  }

  private static func member(_ node: DocumentNode, _ name: String) throws -> DocumentNode {
    try #require(try node.members().first { $0.name == name }?.node)
  }

  @Test func everyRouteIsDescribedAndNothingElse() throws {
    let api = try TestAPI()
    let routes = Set(
      api.server.routes.map { Operation(method: $0.method, path: $0.template, tag: $0.access.rawValue) })
    let described = try Self.described()
    #expect(routes.subtracting(described) == [])
    #expect(described.subtracting(routes) == [])
  }
}
