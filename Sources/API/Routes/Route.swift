import HTTPServer

/// One operation of the API. The table of all of them is what the router, the metrics and the description go by.
struct Route: Sendable {
  enum Access: String, Sendable {
    /// App users, installations, and services with scope `app`; the handler checks whose things are touched.
    case app
    /// Services with scope `operator`.
    case `operator`
  }

  let method: String
  /// Such as `/v1/orders/{orderId}`; a segment in braces is a parameter.
  let template: String
  let access: Access
  let answer: @Sendable (Call) async throws -> HTTPResponse

  init(
    _ method: String, _ template: String, _ access: Access,
    answer: @escaping @Sendable (Call) async throws -> HTTPResponse
  ) {
    self.method = method
    self.template = template
    self.access = access
    self.answer = answer
  }

  /// Values of the parameters in their order; nil when the path is another one.
  func parameters(of segments: [String]) -> [String]? {
    let pattern = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard pattern.count == segments.count else { return nil }
    var values: [String] = []
    for (part, segment) in zip(pattern, segments) {
      if part.hasPrefix("{") {
        guard !segment.isEmpty else { return nil }
        values.append(segment)
      } else if part != segment {
        return nil
      }
    }
    return values
  }
}

/// A request that found its route and whose caller is known.
struct Call: Sendable {
  var caller: Caller
  /// Values of the route's parameters, decoded.
  var parameters: [String]
  var request: HTTPRequest

  var body: [UInt8] { request.body }
}
