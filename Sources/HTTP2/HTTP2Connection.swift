import CNghttp2
import Runtime

/// Hears of a client connection. All calls come on the loop's thread; the connection may be used inside them.
public protocol HTTP2ConnectionDelegate: AnyObject {
  /// The peer's first SETTINGS came: requests may be submitted.
  func connectionReady(_ connection: HTTP2Connection)
  /// `openRequestsLimit` changed.
  func connectionLimitChanged(_ connection: HTTP2Connection)
  /// A submitted request ended; called exactly once for each.
  func connection(_ connection: HTTP2Connection, settled ticket: UInt64, _ outcome: HTTP2Outcome)
  /// The peer wants no more requests. Those it accepted go on; the connection closes when they have ended.
  func connection(_ connection: HTTP2Connection, received goAway: GoAway)
  /// The connection is over; every request was settled before. Called exactly once.
  func connectionClosed(_ connection: HTTP2Connection, _ failure: HTTP2Failure)
}

/// An HTTP/2 client connection over TLS. All members must be used on the loop's thread.
///
/// It opens when `open` is called, is kept alive by the loop until it has closed, and is never opened again.
public final class HTTP2Connection: HTTP2Transport, @unchecked Sendable {
  public enum State: Equatable, Sendable { case idle, connecting, ready, draining, closed }

  public let settings: HTTP2ConnectionSettings
  public weak var delegate: (any HTTP2ConnectionDelegate)?
  public private(set) var state = State.idle
  /// Requests that the peer lets be open at once; 0 until it is ready.
  public private(set) var openRequestsLimit = 0
  /// Streams that are open, those included whose request has ended by its deadline and that are being reset.
  public var openRequests: Int { exchanges.count }
  /// Requests that can be submitted now.
  public var credits: Int { state == .ready ? max(0, openRequestsLimit - openRequests) : 0 }

  let exchanges = ExchangeTable()
  private var headers: RequestHeaders
  private var dialer: Dialer?
  private var connectTimer: TimerID?
  private var watchTimer: TimerID?
  private var watchTime = Double.infinity
  private var pingSentAt: Double?
  /// From when on a silence counts while requests are open.
  private var busySince = 0.0
  /// The next stream's id when the session starts: odd; tests start near the end of the range.
  var firstStreamID: Int32 = 1

  /// Set `delegate` before `open`.
  public init(loop: EventLoop, settings: HTTP2ConnectionSettings) {
    self.settings = settings
    headers = RequestHeaders(authority: settings.port == 443 ? settings.host : "\(settings.host):\(settings.port)")
    super.init(loop: loop)
  }

  // MARK: Life

  public func open() {
    guard state == .idle else { return }
    state = .connecting
    let tunnel = settings.proxy.map {
      ProxyTunnel(host: settings.host, port: settings.port, authorization: $0.authorization)
    }
    let dialer = Dialer(loop: loop, tunnel: tunnel) { [self] in dialed($0) }
    self.dialer = dialer
    connectTimer = loop.schedule(afterSeconds: settings.connectTimeoutSeconds) { [self] in
      connectTimer = nil
      let stage = self.dialer?.stage ?? "TLS and first SETTINGS"
      end(.connectTimeout(stage: stage, seconds: settings.connectTimeoutSeconds))
    }
    let (host, port) = settings.proxy.map { ($0.host, $0.port) } ?? (settings.host, settings.port)
    dialer.start(host: host, port: port, resolver: settings.resolver)
  }

  private func dialed(_ result: Result<Int32, HTTP2Failure>) {
    dialer = nil
    do throws(HTTP2Failure) {
      start(try TLSStream(context: settings.tls, descriptor: try result.get(), host: settings.host))
    } catch {
      end(error)
    }
  }

  /// Takes no more requests and closes once the open ones have ended.
  public func drain() {
    guard state == .connecting || state == .ready else { return }
    state = .draining
    closeIfDrained()
  }

  /// Closes now; open requests end as `notSent` or `ambiguous`.
  public func close() {
    terminate(as: .closedLocally)
  }

  override func ended(_ failure: HTTP2Failure) {
    state = .closed
    dialer?.cancel()
    dialer = nil
    if let connectTimer { loop.cancel(connectTimer) }
    if let watchTimer { loop.cancel(watchTimer) }
    (connectTimer, watchTimer) = (nil, nil)
    for exchange in exchanges.takeAll() {
      settle(exchange, exchange.endOfConnection(failure, writtenBytes: writtenBytes))
    }
    delegate?.connectionClosed(self, failure)
  }

  func closeIfDrained() {
    guard state == .draining, exchanges.count == 0 else { return }
    terminate(as: .drained)
  }

  // MARK: Requests

  /// Hands a request over; it leaves when the loop's turn ends, together with the others of the turn.
  ///
  /// - Returns: false when the connection cannot take it (see `credits`): nothing happened and nobody is called.
  public func submit(_ request: HTTP2Request) -> Bool {
    guard credits > 0, let session else { return false }
    let exchange = exchanges.begin(request)
    let streamID = headers.withFields(of: request) { fields, count in
      var body = nghttp2_data_provider(
        source: nghttp2_data_source(ptr: exchange.pointer), read_callback: ClientCallbacks.readBody)
      return nghttp2_submit_request(session, nil, fields, count, &body, exchange.pointer)
    }
    guard streamID > 0 else {
      exchanges.end(exchange)
      if streamID == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue { drain() }
      return false
    }
    exchange.streamID = streamID
    if exchanges.count == 1 { beginBusy() }
    if request.deadline < watchTime { watch(at: request.deadline) }
    setNeedsFlush()
    return true
  }

  /// Silence counts from the first request on; after a long rest, from the last byte, so that a PING goes along.
  private func beginBusy() {
    let now = MonotonicClock.now
    busySince = now - lastReceived > settings.restSeconds ? lastReceived : now
  }

  /// Tells the delegate unless the deadline already has.
  func settle(_ exchange: Exchange, _ outcome: @autoclosure () -> HTTP2Outcome) {
    guard !exchange.isSettled else { return }
    exchange.isSettled = true
    delegate?.connection(self, settled: exchange.ticket, outcome())
  }

  func streamClosed(_ exchange: Exchange, code: UInt32) {
    settle(exchange, exchange.endOfStream(code: code))
    exchanges.end(exchange)
  }

  // MARK: Session

  override func makeSession() -> OpaquePointer? {
    var made: OpaquePointer?
    let user = Unmanaged.passUnretained(self).toOpaque()
    guard nghttp2_session_client_new(&made, ClientCallbacks.shared.handle, user) == 0 else { return nil }
    return made
  }

  override func sessionStarted() {
    let entries = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
        value: UInt32(clamping: settings.streamWindowBytes)),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, settings.connectionWindowBytes)
    if firstStreamID > 1 { nghttp2_session_set_next_stream_id(session, firstStreamID) }
  }

  func settingsReceived() {
    guard state != .closed else { return }
    let allowed = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    let limit = min(settings.openRequestsMax, Int(allowed))
    let changed = limit != openRequestsLimit
    openRequestsLimit = limit
    if state == .connecting {
      state = .ready
      if let connectTimer { loop.cancel(connectTimer) }
      connectTimer = nil
      watch(at: MonotonicClock.now + settings.idlePingSeconds)
      delegate?.connectionReady(self)
    } else if changed {
      delegate?.connectionLimitChanged(self)
    }
  }

  func goAwayReceived(_ goAway: GoAway) {
    if state == .ready || state == .connecting { state = .draining }
    delegate?.connection(self, received: goAway)
  }

  override func sessionAdvanced() {
    closeIfDrained()
    guard state == .ready || state == .draining, pingSentAt == nil, exchanges.count > 0 else { return }
    if suspicionTime < watchTime { watch(at: suspicionTime) }
  }

  // MARK: Deadlines and PING

  private var suspicionTime: Double { max(lastReceived, busySince) + settings.suspicionSeconds }

  private func watch(at time: Double) {
    if let watchTimer { loop.cancel(watchTimer) }
    watchTime = time
    watchTimer = loop.schedule(afterSeconds: time - MonotonicClock.now) { [self] in
      watchTimer = nil
      watchTime = .infinity
      look()
    }
  }

  /// Ends what is over its deadline, asks a silent peer, and sets the time of the next look.
  private func look() {
    let now = MonotonicClock.now
    let next = endOverdue(now: now)
    // The delegate may have closed the connection meanwhile.
    guard state != .closed, let pingDue = checkPing(now: now) else { return }
    let time = min(next, pingDue)
    if time < watchTime { watch(at: time) }
    setNeedsFlush()
  }

  /// - Returns: the earliest deadline to come; infinity without one.
  private func endOverdue(now: Double) -> Double {
    var next = Double.infinity
    for exchange in exchanges.open where !exchange.isSettled {
      guard exchange.deadline <= now else {
        next = min(next, exchange.deadline)
        continue
      }
      nghttp2_submit_rst_stream(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), exchange.streamID, UInt32(NGHTTP2_CANCEL.rawValue))
      settle(exchange, exchange.endWithoutAnswer(.deadline))
    }
    return next
  }

  /// - Returns: when to check again; nil when the connection has ended.
  private func checkPing(now: Double) -> Double? {
    if let pingSentAt {
      guard now >= pingSentAt + settings.pingTimeoutSeconds else { return pingSentAt + settings.pingTimeoutSeconds }
      end(.pingTimeout(seconds: settings.pingTimeoutSeconds))
      return nil
    }
    let due = exchanges.count > 0 ? suspicionTime : lastReceived + settings.idlePingSeconds
    guard now >= due else { return due }
    nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    pingSentAt = now
    return now + settings.pingTimeoutSeconds
  }

  func pingAnswered() {
    pingSentAt = nil
  }
}
