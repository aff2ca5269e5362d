import CNghttp2

/// One open stream of a client connection: the request's body and what came back so far.
final class Exchange {
  fileprivate(set) var ticket: UInt64 = 0
  fileprivate(set) var deadline = 0.0
  var streamID: Int32 = 0
  fileprivate(set) var requestBody: [UInt8] = []
  var sentBytes = 0
  /// All of the request is in frames; they may still wait for the socket.
  var isRequestComplete = false
  /// Where the request's last frame begins in the connection's outgoing bytes.
  var lastFrameOffset = Int.max
  var isResponseComplete = false
  /// The delegate has been told.
  var isSettled = false
  var response = HTTP2Response(status: 0)
  fileprivate var slot = -1

  /// How nghttp2 carries it; the table keeps the object alive.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ pointer: UnsafeMutableRawPointer) -> Exchange {
    Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The final status came; informational ones (1xx) do not count.
  var hasAnswer: Bool { response.status >= 200 }

  /// The outcome once the stream has closed.
  func endOfStream(code: UInt32) -> HTTP2Outcome {
    if hasAnswer { return .answered(response) }
    if code == UInt32(NGHTTP2_REFUSED_STREAM.rawValue) { return .refused }
    return endWithoutAnswer(.reset(code: code))
  }

  /// The outcome when the stream ends and the connection goes on: frames that wait for the socket may still leave.
  func endWithoutAnswer(_ cause: HTTP2EndCause) -> HTTP2Outcome {
    if hasAnswer { return .answered(response) }
    return isRequestComplete ? .ambiguous(cause) : .notSent(cause)
  }

  /// The outcome when the connection ends after so many of its outgoing bytes.
  func endOfConnection(_ failure: HTTP2Failure, writtenBytes: Int) -> HTTP2Outcome {
    if hasAnswer { return .answered(response) }
    return lastFrameOffset < writtenBytes ? .ambiguous(.connection(failure)) : .notSent(.connection(failure))
  }
}

/// The open exchanges of a connection. Objects are used again: no allocation for each request.
final class ExchangeTable {
  private(set) var open: [Exchange] = []
  private var spare: [Exchange] = []

  var count: Int { open.count }

  func begin(_ request: HTTP2Request) -> Exchange {
    let exchange = spare.popLast() ?? Exchange()
    exchange.ticket = request.ticket
    exchange.deadline = request.deadline
    exchange.requestBody = request.body
    exchange.sentBytes = 0
    exchange.isRequestComplete = false
    exchange.lastFrameOffset = .max
    exchange.isResponseComplete = false
    exchange.isSettled = false
    exchange.slot = open.count
    open.append(exchange)
    return exchange
  }

  func end(_ exchange: Exchange) {
    guard exchange.slot >= 0, let last = open.last else { return }
    open[exchange.slot] = last
    last.slot = exchange.slot
    open.removeLast()
    exchange.slot = -1
    exchange.requestBody = []
    exchange.response = HTTP2Response(status: 0)
    spare.append(exchange)
  }

  func takeAll() -> [Exchange] {
    defer { open = [] }
    return open
  }
}
