import HTTPServer
import Observability
import Runtime
import Service

/// The API for apps and operators (docs/api.md, api/openapi.yaml).
public final class APIServer: ManagedService {
  public let name = "api"
  private let options: HTTPServerOptions
  private let authenticator: Authenticator
  private let router: Router
  private let logger: Logger
  private let metrics: Metrics
  private let drainSeconds: Double
  private let limiter = RateLimiter()
  private let snapshots: SnapshotFeed
  private let feeding = Lock<Task<Void, Never>?>(nil)
  private let server = Lock<HTTPServer?>(nil)

  public init(
    options: HTTPServerOptions, services: APIServices, keys: AuthenticationKeys, logger: Logger, metrics: Metrics,
    drainSeconds: Double = 10
  ) {
    self.options = options
    self.logger = logger
    self.metrics = metrics
    self.drainSeconds = drainSeconds
    snapshots = services.snapshots
    authenticator = Authenticator(keys: keys, registry: services.registry, clock: services.clock)
    let access = AccessRules(registry: services.registry, authenticator: authenticator)
    router = Router(
      routes: InstallationRoutes(services: services, access: access, metrics: metrics).routes
        + OrderRoutes(services: services, access: access).routes
        + OperatorRoutes(services: services, logger: logger).routes)
  }

  var routes: [Route] { router.routes }

  /// The port it listens on; nil before `start`.
  public var port: UInt16? { server.withLock { $0?.port } }

  public func start() async throws {
    let started = try HTTPServer(options: options, handler: .suspending { [self] in await answer($0) })
    server.withLock { $0 = started }
    feeding.withLock { $0 = Task { [snapshots] in await snapshots.run() } }
    logger.log(.listening, .component("api"), .address("\(options.host):\(started.port)"))
  }

  public func drain() async {
    feeding.withLock { $0?.cancel() }
    await server.withLock { $0 }?.stop(timeoutSeconds: drainSeconds)
  }

  /// Takes new keys into use; requests under way go on with the former ones.
  public func reload(_ keys: AuthenticationKeys) { authenticator.reload(keys) }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let began = MonotonicClock.now
    let (route, response) = await routed(request)
    metrics.httpRequests.increment(route, "\(response.status)")
    metrics.httpSeconds.observe(MonotonicClock.now - began)
    return response
  }

  /// The route's template, for metrics, and the answer.
  private func routed(_ request: HTTPRequest) async -> (String, HTTPResponse) {
    switch router.match(method: request.method, path: request.path) {
    case .none: return ("none", Problem.notFound.response)
    case .methodNotAllowed(let allowed):
      var response = Problem(405, "methodNotAllowed", "allowed here: \(allowed.joined(separator: ", "))").response
      response.headers.append((name: "Allow", value: allowed.joined(separator: ", ")))
      return ("none", response)
    case .route(let route, let parameters):
      let name = "\(route.method) \(route.template)"
      do {
        return (name, try await answer(request, route, parameters))
      } catch {
        return (name, problem(of: error, route: name).response)
      }
    }
  }

  private func answer(_ request: HTTPRequest, _ route: Route, _ parameters: [String]) async throws -> HTTPResponse {
    let caller = try await authenticator.caller(authorization: request.header("authorization"))
    if case .service(_, let scopes) = caller {
      guard let scope = Scope(rawValue: route.access.rawValue), scopes.contains(scope) else {
        throw Problem.forbidden("this service key lacks the scope \(route.access.rawValue)")
      }
    } else if route.access == .operator {
      throw Problem.forbidden("only service keys with the scope operator may do this")
    }
    try limit(caller)
    return try await route.answer(Call(caller: caller, parameters: parameters, request: request))
  }

  /// Services are trusted with their own pace; apps are not.
  private func limit(_ caller: Caller) throws {
    let name: String
    switch caller {
    case .service: return
    case .user(let id): name = "u:" + id.text
    case .installation(let id): name = "i:" + id.text
    }
    guard let seconds = limiter.take(name, now: MonotonicClock.now) else { return }
    logger.log(.requestFlood)
    throw Problem(429, "tooManyRequests", "this caller sends too many requests", retryAfterSeconds: seconds)
  }

  private func problem(of error: any Error, route: String) -> Problem {
    switch error {
    case let problem as Problem:
      return problem
    case BodyRefused.malformed:
      return Problem(400, "malformedBody", "\(error)")
    case BodyRefused.invalid(let pointer, let expected):
      return Problem(422, "invalidBody", "expected \(expected)", pointer: pointer)
    case is StoreUnavailable:
      logger.log(.requestFailed, .route(route), .error(error))
      return Problem(503, "unavailable", "the database cannot be reached; try again", retryAfterSeconds: 1)
    default:
      logger.log(.requestFailed, .route(route), .error(error))
      return Problem(500, "internal", "the request failed on our side; it may be tried again")
    }
  }
}
