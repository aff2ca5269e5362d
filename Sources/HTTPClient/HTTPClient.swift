import CCurl
import Runtime

/// One request of the client.
public struct HTTPClientRequest: Sendable {
  public var method: String
  /// Absolute, `http` or `https`, already percent-encoded.
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  /// From hand-over to the last byte of the answer, waiting in the queue included.
  public var timeoutSeconds: Double

  public init(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    timeoutSeconds: Double = 10
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeoutSeconds = timeoutSeconds
  }
}

/// One answer to the client.
public struct HTTPClientResponse: Sendable {
  public var status: Int
  /// In their order; names in lower case.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Why there is no answer.
public enum HTTPClientError: Error, Equatable, CustomStringConvertible {
  /// More requests wait than the client keeps.
  case busy(queueMax: Int)
  case timedOut(url: String)
  /// The connection or TLS failed, in libcurl's words.
  case failed(url: String, reason: String)
  case closed

  public var description: String {
    switch self {
    case .busy(let queueMax): "the HTTP client already has \(queueMax) requests in hand; send fewer at once"
    case .timedOut(let url): "\(url) did not answer in time"
    case .failed(let url, let reason): "\(url) cannot be reached: \(reason)"
    case .closed: "the HTTP client is closed"
    }
  }
}

/// A small HTTP/1.1 client on libcurl: any number of concurrent requests on one thread of its own, connections kept.
public final class HTTPClient: Sendable {
  public struct Options: Sendable {
    /// Open connections, over all hosts; further requests wait for one of them.
    public var connectionsMax = 64
    /// Requests in hand, waiting ones included.
    public var queueMax = 10_000
    public var responseBytesMax = 16 * 1024 * 1024
    /// PEM file with extra trust anchors; nil for the system's store.
    public var caFile: String?

    public init() {}
  }

  private let transfers: TransferLoop

  public init(options: Options = Options()) { transfers = TransferLoop(options: options) }

  deinit { transfers.close() }

  /// Sends one request and waits for its answer; any status is an answer.
  public func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
    let result = await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// The same for callers that do not wait: `completion` is called once, on the client's thread, and must return soon.
  public func send(
    _ request: HTTPClientRequest,
    completion: @escaping @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void
  ) {
    transfers.add(request, completion: completion)
  }

  /// Gives up everything in hand with `closed`. The client cannot be used afterwards.
  public func close() { transfers.close() }
}
