import CNghttp2
import Glibc

/// What nghttp2 calls on a client connection; one table for all connections.
final class ClientCallbacks: Sendable {
  static let shared = ClientCallbacks()

  nonisolated(unsafe) let handle: OpaquePointer?

  private init() {
    var made: OpaquePointer?
    nghttp2_session_callbacks_new(&made)
    handle = made
    nghttp2_session_callbacks_set_on_header_callback(made, Self.onHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Self.onData)
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, Self.onFrame)
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, Self.onFrameNotSent)
    nghttp2_session_callbacks_set_on_stream_close_callback(made, Self.onStreamClose)
    nghttp2_session_callbacks_set_error_callback2(made, HTTP2Transport.onComplaint)
  }

  deinit { nghttp2_session_callbacks_del(handle) }

  private static func connection(_ user: UnsafeMutableRawPointer?) -> HTTP2Connection? {
    user.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func exchange(_ session: OpaquePointer?, _ streamID: Int32) -> Exchange? {
    nghttp2_session_get_stream_user_data(session, streamID).map(Exchange.from)
  }

  static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, room, flags, source, user in
    guard let connection = connection(user), let pointer = source?.pointee.ptr, let buffer, let flags else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let exchange = Exchange.from(pointer)
    let count = min(room, exchange.requestBody.count - exchange.sentBytes)
    exchange.requestBody.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      memcpy(buffer, base + exchange.sentBytes, count)
    }
    exchange.sentBytes += count
    if exchange.sentBytes == exchange.requestBody.count {
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      exchange.isRequestComplete = true
      exchange.lastFrameOffset = connection.gatheredBytes
    }
    return count
  }

  private static let onHeader: nghttp2_on_header_callback = {
    session, frame, name, nameCount, value, valueCount, _, user in
    guard let frame, let exchange = exchange(session, frame.pointee.hd.stream_id), !exchange.isSettled else { return 0 }
    let name = UnsafeBufferPointer(start: name, count: nameCount)
    let value = UnsafeBufferPointer(start: value, count: valueCount)
    if nameCount == 7, name.elementsEqual(":status".utf8) {
      exchange.response.status = value.reduce(0) { $0 &* 10 &+ Int($1 &- 48) }
    } else if exchange.hasAnswer, let wanted = connection(user)?.settings.responseFields {
      for field in wanted where field.equals(name) {
        exchange.response.fields.append(HeaderField(field.description, String(decoding: value, as: UTF8.self)))
      }
    }
    return 0
  }

  private static let onData: nghttp2_on_data_chunk_recv_callback = { session, _, streamID, data, count, user in
    guard let exchange = exchange(session, streamID), let connection = connection(user) else { return 0 }
    let room = connection.settings.responseBytesMax - exchange.response.body.count
    exchange.response.body.append(contentsOf: UnsafeBufferPointer(start: data, count: min(count, max(0, room))))
    if count > room, !exchange.isResponseComplete {
      // Enough was seen of it: the rest would only cost time.
      exchange.isResponseComplete = true
      nghttp2_submit_rst_stream(session, 0, streamID, NGHTTP2_CANCEL.rawValue)
    }
    return 0
  }

  private static let onFrame: nghttp2_on_frame_recv_callback = { session, frame, user in
    guard let frame, let connection = connection(user) else { return 0 }
    let header = frame.pointee.hd
    let flags = UInt32(header.flags)
    switch UInt32(header.type) {
    case NGHTTP2_SETTINGS.rawValue where flags & NGHTTP2_FLAG_ACK.rawValue == 0:
      connection.settingsReceived()
    case NGHTTP2_PING.rawValue where flags & NGHTTP2_FLAG_ACK.rawValue != 0:
      connection.pingAnswered()
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = frame.pointee.goaway
      let count = min(goAway.opaque_data_len, GoAway.debugBytesMax)
      let data = UnsafeBufferPointer(start: goAway.opaque_data, count: count)
      connection.goAwayReceived(
        GoAway(lastStreamID: goAway.last_stream_id, code: goAway.error_code, debugData: Array(data)))
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      if flags & NGHTTP2_FLAG_END_STREAM.rawValue != 0 { answerComplete(session, header.stream_id) }
    default: break
    }
    return 0
  }

  private static func answerComplete(_ session: OpaquePointer?, _ streamID: Int32) {
    guard let exchange = exchange(session, streamID) else { return }
    exchange.isResponseComplete = true
    if !exchange.isRequestComplete {
      // The answer came before the body was sent: the rest of it is not wanted.
      nghttp2_submit_rst_stream(session, 0, streamID, NGHTTP2_NO_ERROR.rawValue)
    }
  }

  /// A request that never left: the session refuses new streams after GOAWAY, or it was reset while it waited.
  private static let onFrameNotSent: nghttp2_on_frame_not_send_callback = { session, frame, _, user in
    guard let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue, let connection = connection(user),
      let exchange = connection.exchanges.open.first(where: { $0.streamID == frame.pointee.hd.stream_id })
    else { return 0 }
    nghttp2_session_set_stream_user_data(session, frame.pointee.hd.stream_id, nil)
    connection.streamClosed(exchange, code: NGHTTP2_REFUSED_STREAM.rawValue)
    return 0
  }

  private static let onStreamClose: nghttp2_on_stream_close_callback = { session, streamID, code, user in
    guard let exchange = exchange(session, streamID) else { return 0 }
    connection(user)?.streamClosed(exchange, code: code)
    return 0
  }
}

extension StaticString {
  fileprivate func equals(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard utf8CodeUnitCount == bytes.count, let base = bytes.baseAddress else { return false }
    return memcmp(utf8Start, base, bytes.count) == 0
  }
}
