import CMicrohttpd
import Runtime

/// One request on its way in and its answer on its way out.
///
/// The library's thread fills it; while the connection is suspended a task answers it. It is released when the library
/// reports the request as completed.
final class Exchange: @unchecked Sendable {
  /// Bytes beyond the body limit that are read and thrown away, so that the client gets to see its 413.
  static let discardedBytesMax = 1024 * 1024

  enum Phase { case reading, answering, answered }

  /// Touched only by the library's thread until the phase is `answering`.
  var request: HTTPRequest
  var phase = Phase.reading
  var isTooLarge = false
  private var discardedBytes = 0
  private let response = Lock<HTTPResponse?>(nil)

  init(_ request: HTTPRequest) { self.request = request }

  /// False when so much too much has come that the connection is to be cut.
  func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    guard !isTooLarge, request.body.count + bytes.count <= limit else {
      isTooLarge = true
      request.body = []
      discardedBytes += bytes.count
      return discardedBytes <= Self.discardedBytesMax
    }
    request.body += bytes
    return true
  }

  /// Keeps the first answer; false when there is one already.
  @discardableResult
  func answer(_ response: HTTPResponse) -> Bool {
    self.response.withLock { held in
      guard held == nil else { return false }
      held = response
      return true
    }
  }

  var answer: HTTPResponse? { response.withLock { $0 } }
}
