import HTTPServer
import Service

/// Finds the route of a request.
struct Router: Sendable {
  enum Match {
    case route(Route, parameters: [String])
    /// The path is known, the method is not.
    case methodNotAllowed(allowed: [String])
    case none
  }

  let routes: [Route]

  func match(method: String, path: String) -> Match {
    guard let segments = Path.segments(path) else { return .none }
    let method = method == "HEAD" ? "GET" : method
    var allowed: [String] = []
    for route in routes {
      guard let parameters = route.parameters(of: segments) else { continue }
      if route.method == method { return .route(route, parameters: parameters) }
      allowed.append(route.method)
    }
    return allowed.isEmpty ? .none : .methodNotAllowed(allowed: allowed)
  }
}
