/// One request, handed to a connection as a whole.
public struct HTTP2Request: Sendable {
  /// The caller's own number; comes back with the outcome.
  public var ticket: UInt64
  public var method: StaticString
  public var path: [UInt8]
  /// Fields that many requests share, and this request's own after them; names in lower case.
  public var sharedFields: HeaderFields
  public var ownFields: HeaderFields
  public var body: [UInt8]
  /// When the request ends without an answer, on the monotonic clock.
  public var deadline: Double

  public init(
    ticket: UInt64, method: StaticString = "POST", path: [UInt8], sharedFields: HeaderFields = HeaderFields(),
    ownFields: HeaderFields = HeaderFields(), body: [UInt8] = [], deadline: Double
  ) {
    self.ticket = ticket
    self.method = method
    self.path = path
    self.sharedFields = sharedFields
    self.ownFields = ownFields
    self.body = body
    self.deadline = deadline
  }
}

/// The answer to one request.
public struct HTTP2Response: Equatable, Sendable {
  public var status: Int
  /// The fields that the connection was asked to keep, in the order they came.
  public var fields: [HeaderField]
  /// At most `HTTP2ConnectionSettings.responseBytesMax` bytes; what was longer is cut off.
  public var body: [UInt8]

  public init(status: Int, fields: [HeaderField] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The first field of that name.
  public func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// How a request ended: a closed set that callers switch over.
public enum HTTP2Outcome: Equatable, Sendable {
  /// The peer answered. Its status counts even when it reset the stream afterwards.
  case answered(HTTP2Response)
  /// The peer says that it did not process the request (REFUSED_STREAM, or above GOAWAY's last stream).
  case refused
  /// Not all of the request left this process, so the peer cannot have acted on it.
  case notSent(HTTP2EndCause)
  /// The whole request left and no answer came: the peer may or may not have acted on it.
  case ambiguous(HTTP2EndCause)
}

/// What ended a request without an answer.
public enum HTTP2EndCause: Equatable, Sendable {
  case deadline
  /// The peer reset the stream with this error code.
  case reset(code: UInt32)
  case connection(HTTP2Failure)
}

/// A GOAWAY as it came.
public struct GoAway: Equatable, Sendable {
  public var lastStreamID: Int32
  public var code: UInt32
  /// At most `debugBytesMax` bytes.
  public var debugData: [UInt8]

  public static let debugBytesMax = 1024

  public init(lastStreamID: Int32, code: UInt32, debugData: [UInt8]) {
    self.lastStreamID = lastStreamID
    self.code = code
    self.debugData = debugData
  }
}
