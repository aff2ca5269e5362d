import HTTPServer
import Observability
import Runtime

/// Probes and metrics for whoever runs the service. No secrets here, so no authentication either: keep it off the net.
public final class OpsServer: ManagedService {
  public let name = "ops"
  private let options: HTTPServerOptions
  private let health: Health
  private let metrics: Metrics
  private let logger: Logger
  private let server = Lock<HTTPServer?>(nil)

  public init(options: HTTPServerOptions, health: Health, metrics: Metrics, logger: Logger) {
    self.options = options
    self.health = health
    self.metrics = metrics
    self.logger = logger
  }

  /// The port it listens on; nil before `start`.
  public var port: UInt16? { server.withLock { $0?.port } }

  public func start() async throws {
    let started = try HTTPServer(options: options, handler: .direct { [self] in answer($0) })
    server.withLock { $0 = started }
    logger.log(.listening, .component("ops"), .address("\(options.host):\(started.port)"))
  }

  public func drain() async { await server.withLock { $0 }?.stop(timeoutSeconds: 1) }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return HTTPResponse(status: 405, headers: [("Allow", "GET, HEAD")])
    }
    switch request.path {
    case "/livez": return Self.answer(health.liveness(verbose: request.hasQuery("verbose")))
    case "/readyz": return Self.answer(health.readiness(verbose: request.hasQuery("verbose")))
    case "/metrics":
      let format = Exposition.Format(accept: request.header("accept"))
      return HTTPResponse(
        status: 200, headers: [("Content-Type", format.contentType)], body: metrics.exposition(format))
    default: return HTTPResponse(status: 404, headers: Self.plain, body: Array("/livez, /readyz or /metrics\n".utf8))
    }
  }

  private static let plain = [(name: "Content-Type", value: "text/plain; charset=utf-8")]

  private static func answer(_ report: Health.Report) -> HTTPResponse {
    HTTPResponse(status: report.passes ? 200 : 503, headers: plain, body: Array(report.text.utf8))
  }
}
