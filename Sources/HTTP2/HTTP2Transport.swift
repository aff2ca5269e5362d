import CNghttp2
import Glibc
import Runtime

/// What client and server connections share: one nghttp2 session over TLS on a non-blocking socket.
///
/// All members must be used on the loop's thread.
public class HTTP2Transport: EventLoopHandler, @unchecked Sendable {
  /// Frames are gathered up to so many bytes for one TLS write.
  private static let writeBytes = 64 * 1024
  /// TLS reads in a row before others on the loop have their turn.
  private static let readsPerTurn = 32

  public let loop: EventLoop
  /// When bytes last came from the peer, on the monotonic clock.
  public private(set) var lastReceived = MonotonicClock.now
  private(set) var session: OpaquePointer?
  private var stream: TLSStream?
  private var isHandshaking = true
  private var unsent: [UInt8] = []
  private var unsentOffset = 0
  /// Bytes of frames so far: gathered for the socket, and taken by it.
  private(set) var gatheredBytes = 0
  private(set) var writtenBytes = 0
  private var waitsForWrite = false
  private var flushPending = false
  private var isReading = true
  /// The session must not be freed while nghttp2 is on the call stack.
  private var isInSession = false
  private var pendingFailure: HTTP2Failure?
  /// Why this side ends the session.
  private var termination: HTTP2Failure?
  /// What nghttp2 last said was wrong with the peer's frames.
  var complaint: String?
  private(set) var isClosed = false

  init(loop: EventLoop) {
    self.loop = loop
  }

  deinit {
    if let session { nghttp2_session_del(session) }
  }

  // MARK: What the two sides add

  /// TLS is up and the peer agreed to HTTP/2: make the session.
  func makeSession() -> OpaquePointer? { nil }
  /// The session exists and may send.
  func sessionStarted() {}
  /// The connection is over: settle what was open. Called once.
  func ended(_ failure: HTTP2Failure) {}
  /// Bytes came in or went out; streams may have ended.
  func sessionAdvanced() {}
  /// Whether the connection is kept although nghttp2 has nothing more to read or write.
  var staysWhenSessionIsDone: Bool { false }

  // MARK: Start and end

  /// Takes over the stream and begins the TLS handshake.
  func start(_ stream: TLSStream) {
    self.stream = stream
    do throws(SystemError) {
      try loop.add(stream.descriptor, for: [.read, .write], handler: self)
    } catch {
      end(.socket(error))
    }
  }

  /// Ends the connection at once; safe inside callbacks of the session.
  func end(_ failure: HTTP2Failure) {
    guard !isClosed else { return }
    guard !isInSession else {
      if pendingFailure == nil { pendingFailure = failure }
      return
    }
    isClosed = true
    if let stream {
      loop.remove(stream.descriptor)
      if !isHandshaking { stream.sayGoodbye() }
    }
    stream = nil
    if let session { nghttp2_session_del(session) }
    session = nil
    unsent = []
    ended(failure)
  }

  /// Cuts the TCP connection with a reset, without a goodbye of any layer.
  public func cut() {
    stream?.resetOnClose()
    end(.closedLocally)
  }

  /// Sends a GOAWAY, as far as the socket takes it, and ends; safe inside callbacks of the session.
  func terminate(as failure: HTTP2Failure) {
    guard termination == nil else { return }
    guard let session, !isClosed else { return end(failure) }
    nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue)
    termination = failure
    if !isInSession { finishTermination() }
  }

  private func finishTermination() {
    flush()
    end(termination ?? .closedLocally)
  }

  /// Lets the peer's bytes pile up in the kernel, or takes them again.
  public func setReading(_ on: Bool) {
    isReading = on
    updateInterest()
  }

  private func updateInterest() {
    guard let stream else { return }
    var events: EventLoop.Events = []
    if isReading { events.insert(.read) }
    if waitsForWrite { events.insert(.write) }
    loop.modify(stream.descriptor, for: events)
  }

  // MARK: Turn

  public func ready(_ events: EventLoop.Events) {
    if isHandshaking { return shakeHands() }
    if events.contains(.read) { receive() }
    if events.contains(.write) { flush() }
  }

  public func turnEnded() {
    flushPending = false
    flush()
  }

  /// Has pending frames sent when the turn ends, in one write.
  func setNeedsFlush() {
    guard !flushPending, !isClosed else { return }
    flushPending = true
    loop.atTurnEnd(self)
  }

  private func shakeHands() {
    guard let stream else { return }
    switch stream.handshake() {
    case .done: handshakeDone(stream)
    case .wantsRead: wait(forWrite: false)
    case .wantsWrite: wait(forWrite: true)
    case .ended: end(.tls(reason: "the peer closed during the handshake"))
    case .failed(.closedByPeer): end(.tls(reason: "the peer closed during the handshake"))
    case .failed(let failure): end(failure)
    }
  }

  private func handshakeDone(_ stream: TLSStream) {
    isHandshaking = false
    lastReceived = MonotonicClock.now
    let selected = stream.negotiatedProtocol
    guard selected == "h2" else { return end(.notHTTP2(selected: selected)) }
    guard let session = makeSession() else { return end(.protocolError(reason: "no HTTP/2 session could be made")) }
    self.session = session
    sessionStarted()
    wait(forWrite: false)
    flush()
    // The peer's first frames may already wait inside the TLS layer, where epoll does not see them.
    receive()
  }

  private func wait(forWrite: Bool) {
    guard waitsForWrite != forWrite || isHandshaking else { return }
    waitsForWrite = forWrite
    updateInterest()
  }

  // MARK: Bytes

  private func receive() {
    guard isReading, !isClosed else { return }
    lastReceived = MonotonicClock.now
    withUnsafeTemporaryAllocation(byteCount: TLSContext.readBufferBytes, alignment: 16) { buffer in
      for _ in 0..<Self.readsPerTurn {
        guard let stream, isReading else { return }
        switch stream.read(into: buffer) {
        case .done(let count): take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .wantsRead: return
        case .wantsWrite: return wait(forWrite: true)
        case .ended: return end(.closedByPeer)
        case .failed(let failure): return end(failure)
        }
      }
      // What is left may sit inside the TLS layer: come back without waiting for the socket.
      loop.schedule(afterSeconds: 0) { [self] in receive() }
    }
    if !isClosed { setNeedsFlush() }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    guard let session else { return }
    isInSession = true
    let result = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    isInSession = false
    if let pendingFailure { return end(pendingFailure) }
    if termination != nil { return finishTermination() }
    if result < 0 { end(.protocolError(reason: Self.text(Int32(truncatingIfNeeded: result)))) }
  }

  /// Writes pending frames until the socket takes no more.
  func flush() {
    guard !isHandshaking, !isInSession else { return }
    while let stream, gatherFrames() {
      let result = unsent.withUnsafeBytes { stream.write(UnsafeRawBufferPointer(rebasing: $0[unsentOffset...])) }
      switch result {
      case .done(let count):
        unsentOffset += count
        writtenBytes += count
      case .wantsWrite: return wait(forWrite: true)
      case .wantsRead: return wait(forWrite: false)
      case .ended: return endAfterReading(.closedByPeer)
      case .failed(let failure): return endAfterReading(failure)
      }
    }
    wait(forWrite: false)
    sessionAdvanced()
    guard let session, !staysWhenSessionIsDone else { return }
    if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
      end(termination ?? .protocolError(reason: complaint ?? "the session was terminated"))
    }
  }

  /// A peer that has gone may have answered before: what it said still counts.
  private func endAfterReading(_ failure: HTTP2Failure) {
    receive()
    end(failure)
  }

  /// Fills `unsent` from the session. False when there is nothing to write.
  private func gatherFrames() -> Bool {
    guard unsentOffset == unsent.count else { return true }
    unsent.removeAll(keepingCapacity: unsentOffset > 0)
    unsentOffset = 0
    while unsent.count < Self.writeBytes, let session {
      var bytes: UnsafePointer<UInt8>?
      isInSession = true
      let count = nghttp2_session_mem_send(session, &bytes)
      isInSession = false
      if let pendingFailure {
        end(pendingFailure)
        return false
      }
      if count < 0 {
        end(.protocolError(reason: Self.text(Int32(truncatingIfNeeded: count))))
        return false
      }
      if count == 0 { break }
      unsent.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      gatheredBytes += count
    }
    return !unsent.isEmpty
  }

  /// nghttp2's words for one of its error codes.
  static func text(_ code: Int32) -> String { String(cString: nghttp2_strerror(code)) }

  /// nghttp2 explains what it found wrong.
  static let onComplaint: nghttp2_error_callback2 = { _, _, text, count, user in
    guard let user, let text else { return 0 }
    let transport = Unmanaged<HTTP2Transport>.fromOpaque(user).takeUnretainedValue()
    let bytes = UnsafeBufferPointer(start: text, count: min(count, 200)).map { UInt8(bitPattern: $0) }
    transport.complaint = String(decoding: bytes, as: UTF8.self)
    return 0
  }
}
