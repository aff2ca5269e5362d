import CMicrohttpd

/// Hands an answer to the library.
enum ResponseWriter {
  /// Bytes asked of a stream at once.
  private static let streamBlockBytes = 16 * 1024

  static func queue(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    let made: OpaquePointer? =
      switch answer.body {
      case .bytes(let bytes):
        bytes.withUnsafeBytes {
          MHD_create_response_from_buffer(
            $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
      case .stream(let stream): response(of: stream, on: connection)
      }
    guard let response = made else { return .NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  private final class StreamContext {
    let stream: HTTPStream
    let connection: Connection

    init(stream: HTTPStream, connection: Connection) {
      self.stream = stream
      self.connection = connection
    }
  }

  private static func response(of stream: HTTPStream, on connection: OpaquePointer) -> OpaquePointer? {
    let context = StreamContext(stream: stream, connection: Connection(pointer: connection))
    return MHD_create_response_from_callback(
      UInt64.max, streamBlockBytes,
      { context, _, buffer, capacity in
        guard let context, let buffer else { return -1 }
        return ResponseWriter.read(
          Unmanaged<StreamContext>.fromOpaque(context).takeUnretainedValue(),
          into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
      }, Unmanaged.passRetained(context).toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<StreamContext>.fromOpaque(context).takeRetainedValue().stream.closed()
      })
  }

  /// A connection without anything to send sleeps until the stream wakes it.
  private static func read(_ context: StreamContext, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let connection = context.connection
    let next = context.stream.take(into: buffer) {
      MHD_suspend_connection(connection.pointer)
      return { MHD_resume_connection(connection.pointer) }
    }
    return switch next {
    case .bytes(let count): count
    case .nothingYet: 0
    case .end: -1  // MHD_CONTENT_READER_END_OF_STREAM
    }
  }
}

/// The library's connection. It lives as long as it is suspended; resuming it from any thread is allowed.
struct Connection: @unchecked Sendable {
  let pointer: OpaquePointer
}
