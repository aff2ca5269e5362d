/// The two hosts of APNs.
public enum APNsEnvironment: String, Codable, Sendable, CaseIterable {
  case production, sandbox
}

/// One HTTP/2 request as it came: pseudo-headers apart, the rest in order.
public struct APNsRequest: Sendable {
  public var method: String
  public var path: String
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(method: String, path: String, headers: [(name: String, value: String)], body: [UInt8]) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }
}

/// One HTTP/2 answer.
public struct APNsAnswer: Equatable, Sendable {
  public var status: Int
  /// Canonical UUID: the sender's, else invented.
  public var apnsID: String
  /// Only in the sandbox.
  public var uniqueID: String?
  public var reason: String?
  /// Milliseconds since 1970; only with status 410.
  public var timestampMillis: Int64?
  /// Further headers, of the channel API.
  public var fields: [String: String] = [:]
  /// Body of a success, of the channel API.
  public var json: [UInt8] = []

  public init(
    status: Int, apnsID: String, uniqueID: String? = nil, reason: String? = nil, timestampMillis: Int64? = nil
  ) {
    self.status = status
    self.apnsID = apnsID
    self.uniqueID = uniqueID
    self.reason = reason
    self.timestampMillis = timestampMillis
  }

  public var headers: [(name: String, value: String)] {
    var list = [(name: "apns-id", value: apnsID)]
    if let uniqueID { list.append((name: "apns-unique-id", value: uniqueID)) }
    if reason != nil { list.append((name: "content-type", value: "application/json")) }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { list.append((name: name, value: value)) }
    return list
  }

  /// Empty on success of a push; else `{"reason"}` and, with 410, `timestamp`.
  public var body: [UInt8] {
    guard let reason else { return json }
    var text = JSONText()
    text.add("reason", reason)
    if let timestampMillis { text.add("timestamp", timestampMillis) }
    return text.closed()
  }
}
