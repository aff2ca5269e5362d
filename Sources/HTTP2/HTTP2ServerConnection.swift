import CNghttp2
import Runtime

/// One client's connection to a server. All members must be used on the loop's thread.
public final class HTTP2ServerConnection: HTTP2Transport, @unchecked Sendable {
  public let id: UInt64
  private let server: HTTP2Server
  /// Streams that came and have not ended.
  public private(set) var openStreams = 0
  /// The highest stream id that came.
  public private(set) var lastStreamID: Int32 = 0
  private var hasSaidGoAway = false
  override var staysWhenSessionIsDone: Bool { hasSaidGoAway }
  var settings: HTTP2ServerSettings { server.settings }
  private var incoming: [Int32: HTTP2ServerRequest] = [:]
  var responses: [Int32: PendingBody] = [:]

  struct PendingBody {
    var bytes: [UInt8]
    var offset = 0
  }

  init(id: UInt64, server: HTTP2Server) {
    self.id = id
    self.server = server
    super.init(loop: server.loop)
  }

  // MARK: What the delegate does; without effect once the connection is over

  /// Answers a stream; without effect when it has ended.
  public func respond(_ streamID: Int32, status: Int, fields: [HeaderField] = [], body: [UInt8] = []) {
    guard let session, nghttp2_session_find_stream(session, streamID) != nil else { return }
    let all = [HeaderField(":status", String(status))] + fields
    if body.isEmpty {
      all.withHeaderBlock { _ = nghttp2_submit_response(session, streamID, $0, all.count, nil) }
    } else {
      responses[streamID] = PendingBody(bytes: body)
      var source = nghttp2_data_provider(
        source: nghttp2_data_source(fd: streamID), read_callback: ServerCallbacks.readBody)
      all.withHeaderBlock { _ = nghttp2_submit_response(session, streamID, $0, all.count, &source) }
    }
    setNeedsFlush()
  }

  /// Sends RST_STREAM.
  public func reset(_ streamID: Int32, code: UInt32) {
    guard let session else { return }
    nghttp2_submit_rst_stream(session, 0, streamID, code)
    setNeedsFlush()
  }

  /// Sends SETTINGS with the entries that are not nil.
  public func update(maxConcurrentStreams: UInt32? = nil, initialWindowBytes: UInt32? = nil) {
    guard let session else { return }
    var entries: [nghttp2_settings_entry] = []
    if let maxConcurrentStreams {
      entries.append(
        nghttp2_settings_entry(
          settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: maxConcurrentStreams))
    }
    if let initialWindowBytes {
      entries.append(
        nghttp2_settings_entry(
          settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: initialWindowBytes))
    }
    nghttp2_submit_settings(session, 0, entries, entries.count)
    setNeedsFlush()
  }

  /// Sends GOAWAY and leaves it to the client to close; `lastStreamID` nil names the highest stream that came.
  public func goAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    guard let session else { return }
    hasSaidGoAway = true
    nghttp2_submit_goaway(session, 0, lastStreamID ?? self.lastStreamID, code, debugData, debugData.count)
    setNeedsFlush()
  }

  /// Sends GOAWAY(NO_ERROR) and closes.
  public func close() {
    terminate(as: .closedLocally)
  }

  // MARK: Session

  override func makeSession() -> OpaquePointer? {
    var option: OpaquePointer?
    nghttp2_option_new(&option)
    defer { nghttp2_option_del(option) }
    nghttp2_option_set_no_auto_window_update(option, settings.windowUpdates == .automatic ? 0 : 1)
    var made: OpaquePointer?
    let user = Unmanaged.passUnretained(self).toOpaque()
    guard nghttp2_session_server_new2(&made, ServerCallbacks.shared.handle, user, option) == 0 else { return nil }
    return made
  }

  override func sessionStarted() {
    update(maxConcurrentStreams: settings.maxConcurrentStreams, initialWindowBytes: settings.initialWindowBytes)
    if let bytes = settings.connectionWindowBytes { nghttp2_session_set_local_window_size(session, 0, 0, bytes) }
    server.delegate?.connectionOpened(self)
  }

  override func ended(_ failure: HTTP2Failure) {
    server.forget(self)
    incoming = [:]
    responses = [:]
    server.delegate?.connectionClosed(self, failure)
  }

  func streamBegan(_ streamID: Int32) {
    openStreams += 1
    lastStreamID = max(lastStreamID, streamID)
    incoming[streamID] = HTTP2ServerRequest(streamID: streamID, fields: [], body: [], bodyBytes: 0)
  }

  func received(_ field: HeaderField, on streamID: Int32) {
    incoming[streamID]?.fields.append(field)
  }

  func headersComplete(_ streamID: Int32) {
    if let request = incoming[streamID] { server.delegate?.connection(self, began: request) }
  }

  func received(_ bytes: UnsafeBufferPointer<UInt8>, on streamID: Int32) {
    if settings.windowUpdates == .streamOnly { nghttp2_session_consume_stream(session, streamID, bytes.count) }
    guard let kept = incoming[streamID]?.body.count else { return }
    incoming[streamID]?.bodyBytes += bytes.count
    incoming[streamID]?.body.append(contentsOf: bytes.prefix(max(0, settings.requestBytesMax - kept)))
  }

  func requestComplete(_ streamID: Int32) {
    guard let request = incoming.removeValue(forKey: streamID) else { return }
    server.delegate?.connection(self, received: request)
  }

  func streamClosed(_ streamID: Int32, code: UInt32) {
    openStreams -= 1
    incoming[streamID] = nil
    responses[streamID] = nil
    server.delegate?.connection(self, closed: streamID, code: code)
  }
}

extension [HeaderField] {
  /// Calls `body` with the fields as nghttp2 wants them; valid inside it only.
  fileprivate func withHeaderBlock(_ body: (UnsafePointer<nghttp2_nv>?) -> Void) {
    var bytes: [UInt8] = []
    for field in self {
      bytes.append(contentsOf: field.name.utf8)
      bytes.append(contentsOf: field.value.utf8)
    }
    bytes.withUnsafeMutableBufferPointer { block in
      guard var next = block.baseAddress else { return body(nil) }
      let block = map { field -> nghttp2_nv in
        let (nameCount, valueCount) = (field.name.utf8.count, field.value.utf8.count)
        defer { next += nameCount + valueCount }
        return nghttp2_nv(name: next, value: next + nameCount, namelen: nameCount, valuelen: valueCount, flags: 0)
      }
      block.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}
