/// One request, its body read to the end.
public struct HTTPRequest: Sendable {
  /// As sent: `GET`, `PUT`, ...
  public var method: String
  /// The path without its query, still percent-encoded.
  public var path: String
  /// Query parameters in their order, still percent-encoded; a parameter without `=` has an empty value.
  public var query: [(name: String, value: String)]
  /// In the order in which they came.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(
    method: String, path: String, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The first header of that name, whatever its case; nil when there is none.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
  }

  /// How often a header of that lower-case name came.
  public func count(ofHeader name: String) -> Int {
    headers.reduce(0) { $0 + ($1.name.lowercased() == name ? 1 : 0) }
  }

  public func hasQuery(_ name: String) -> Bool { query.contains { $0.name == name } }
}
