import HTTPClient

/// HTTP to a process of ours: connections kept, failures in one sentence.
public struct LoopbackClient: Sendable {
  private let base: String
  private let client = HTTPClient()

  /// - Parameter base: such as `http://127.0.0.1:8080`.
  public init(base: String) { self.base = base }

  /// The answer's body; throws unless the status is 200.
  public func send(_ method: String, _ path: String, body: [UInt8] = []) async throws(PlaygroundError) -> [UInt8] {
    let answer = try await request(method, path, body)
    guard answer.status == 200 else {
      let text = String(decoding: answer.body.prefix(500), as: UTF8.self)
      throw PlaygroundError("\(method) \(base)\(path) answered \(answer.status): \(text)")
    }
    return answer.body
  }

  /// The answer's status, whichever it is.
  public func status(_ method: String, _ path: String) async throws(PlaygroundError) -> Int {
    try await request(method, path, []).status
  }

  private func request(
    _ method: String, _ path: String, _ body: [UInt8]
  ) async throws(PlaygroundError) -> HTTPClientResponse {
    do throws(HTTPClientError) {
      return try await client.send(HTTPClientRequest(method, base + path, body: body, timeoutSeconds: 30))
    } catch {
      throw PlaygroundError("\(error)")
    }
  }
}
