import CNghttp2
import Glibc

/// What nghttp2 calls on a server's connection; one table for all connections.
final class ServerCallbacks: Sendable {
  static let shared = ServerCallbacks()

  nonisolated(unsafe) let handle: OpaquePointer?

  private init() {
    var made: OpaquePointer?
    nghttp2_session_callbacks_new(&made)
    handle = made
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, Self.onBeginHeaders)
    nghttp2_session_callbacks_set_on_header_callback(made, Self.onHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Self.onData)
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, Self.onFrame)
    nghttp2_session_callbacks_set_on_stream_close_callback(made, Self.onStreamClose)
    nghttp2_session_callbacks_set_error_callback2(made, HTTP2Transport.onComplaint)
  }

  deinit { nghttp2_session_callbacks_del(handle) }

  private static func connection(_ user: UnsafeMutableRawPointer?) -> HTTP2ServerConnection? {
    user.map { Unmanaged<HTTP2ServerConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  static let readBody: nghttp2_data_source_read_callback = { _, streamID, buffer, room, flags, _, user in
    guard let connection = connection(user), let pending = connection.responses[streamID], let buffer, let flags else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let count = min(room, pending.bytes.count - pending.offset)
    pending.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      memcpy(buffer, base + pending.offset, count)
    }
    connection.responses[streamID]?.offset += count
    if pending.offset + count == pending.bytes.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  private static func isRequest(_ frame: UnsafePointer<nghttp2_frame>) -> Bool {
    UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue && frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
  }

  private static let onBeginHeaders: nghttp2_on_begin_headers_callback = { _, frame, user in
    guard let frame, isRequest(frame) else { return 0 }
    connection(user)?.streamBegan(frame.pointee.hd.stream_id)
    return 0
  }

  private static let onHeader: nghttp2_on_header_callback = { _, frame, name, nameCount, value, valueCount, _, user in
    guard let frame else { return 0 }
    let name = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
    let value = String(decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
    connection(user)?.received(HeaderField(name, value), on: frame.pointee.hd.stream_id)
    return 0
  }

  private static let onData: nghttp2_on_data_chunk_recv_callback = { _, _, streamID, data, count, user in
    connection(user)?.received(UnsafeBufferPointer(start: data, count: count), on: streamID)
    return 0
  }

  private static let onFrame: nghttp2_on_frame_recv_callback = { _, frame, user in
    guard let frame, let connection = connection(user) else { return 0 }
    let header = frame.pointee.hd
    let type = UInt32(header.type)
    guard type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue else { return 0 }
    if isRequest(frame) { connection.headersComplete(header.stream_id) }
    if UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 { connection.requestComplete(header.stream_id) }
    return 0
  }

  private static let onStreamClose: nghttp2_on_stream_close_callback = { _, streamID, code, user in
    connection(user)?.streamClosed(streamID, code: code)
    return 0
  }
}
