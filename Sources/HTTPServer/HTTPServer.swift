import CMicrohttpd
import Glibc
import Runtime

/// How requests are answered.
public enum HTTPHandler: Sendable {
  /// At once, on the server's own thread: must not wait for anything.
  case direct(@Sendable (HTTPRequest) -> HTTPResponse)
  /// In a task; meanwhile the connection sleeps and holds no thread.
  case suspending(@Sendable (HTTPRequest) async -> HTTPResponse)
}

/// An HTTP/1.1 server on libmicrohttpd, with epoll threads of its own.
public final class HTTPServer: Sendable {
  /// The port it listens on; the system's choice when 0 was asked for.
  public let port: UInt16
  private let daemon: Daemon

  /// Starts listening.
  /// - Throws: `HTTPServerError` when the address cannot be had or the certificate cannot be used.
  public init(options: HTTPServerOptions, handler: HTTPHandler) throws(HTTPServerError) {
    let socket = try ListeningSocket(host: options.host, port: options.port)
    port = socket.port
    daemon = try Daemon(options: options, socket: socket, handler: handler)
  }

  /// Requests that are being answered now.
  public var inFlight: Int { daemon.inFlight }

  /// Stops listening, waits until the requests in flight are answered (those that are not by the deadline get 503), and
  /// closes all connections.
  public func stop(timeoutSeconds: Double) async { await daemon.stop(timeoutSeconds: timeoutSeconds) }
}
