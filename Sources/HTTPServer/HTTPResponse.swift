/// One answer.
public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    /// Sent as it comes, for as long as the client stays.
    case stream(HTTPStream)
  }

  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: Body

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  public init(status: Int, headers: [(name: String, value: String)] = [], stream: HTTPStream) {
    self.status = status
    self.headers = headers
    body = .stream(stream)
  }
}
