import CMicrohttpd
import Glibc
import Runtime

/// The library's daemon and the exchanges that are being answered.
final class Daemon: @unchecked Sendable {
  private struct InFlight {
    var exchanges: [ObjectIdentifier: (exchange: Exchange, connection: Connection)] = [:]
    var isStopped = false
  }

  /// For answers that are made but not yet sent when the time to stop is over.
  private static let lastAnswersSeconds = 1.0

  let options: HTTPServerOptions
  private let handler: HTTPHandler
  private let state = Lock(InFlight())
  private let idle = TimedSignal()
  private let deadlines: ReadDeadlines
  /// Written once, before the first request can come.
  private var pointer: OpaquePointer?
  /// C copies of the certificate and the key: the library keeps the pointers.
  private let tlsTexts: [UnsafeMutablePointer<CChar>]

  init(options: HTTPServerOptions, socket: ListeningSocket, handler: HTTPHandler) throws(HTTPServerError) {
    self.options = options
    self.handler = handler
    deadlines = ReadDeadlines(
      readSecondsMax: options.requestReadSecondsMax, idleSeconds: Double(options.idleTimeoutSeconds))
    tlsTexts = options.tls.map { [strdup($0.privateKey), strdup($0.chain)].compactMap { $0 } } ?? []
    let context = Unmanaged.passUnretained(self).toOpaque()
    let arguments = self.arguments(listeningOn: socket.descriptor)
    pointer = withVaList(arguments) {
      MHD_start_daemon_va(Self.flags(options), 0, nil, nil, Daemon.onAccess, context, $0)
    }
    guard pointer != nil else {
      close(socket.descriptor)
      throw HTTPServerError(
        options.tls == nil
          ? "the HTTP server on \(options.host):\(socket.port) cannot start; are there threads and descriptors left?"
          : "the HTTPS server on \(options.host):\(socket.port) cannot start; do the certificate and its key fit?")
    }
    deadlines.start()
  }

  deinit {
    for text in tlsTexts { free(text) }
  }

  private static func flags(_ options: HTTPServerOptions) -> UInt32 {
    let flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    return options.tls == nil ? flags : flags | MHD_USE_TLS.rawValue
  }

  /// Pairs of option and value, as the variadic start function wants them.
  private func arguments(listeningOn descriptor: Int32) -> [any CVarArg] {
    let me = OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
    let notify = unsafeBitCast(Daemon.onConnection, to: OpaquePointer.self)
    let completed = unsafeBitCast(Daemon.onCompleted, to: OpaquePointer.self)
    let unescape = unsafeBitCast(Daemon.keepEscapes, to: OpaquePointer.self)
    var list: [any CVarArg] = [
      MHD_OPTION.LISTEN_SOCKET.rawValue, descriptor,
      MHD_OPTION.NOTIFY_CONNECTION.rawValue, notify, me,
      MHD_OPTION.NOTIFY_COMPLETED.rawValue, completed, me,
      MHD_OPTION.UNESCAPE_CALLBACK.rawValue, unescape, 0,
      MHD_OPTION.CONNECTION_LIMIT.rawValue, UInt32(options.connectionsMax),
      MHD_OPTION.CONNECTION_TIMEOUT.rawValue, UInt32(options.idleTimeoutSeconds),
      MHD_OPTION.CONNECTION_MEMORY_LIMIT.rawValue, options.headerBytesMax + 8 * 1024,
    ]
    if options.threads > 1 { list += [MHD_OPTION.THREAD_POOL_SIZE.rawValue, UInt32(options.threads)] }
    if tlsTexts.count == 2 {
      list += [MHD_OPTION.HTTPS_MEM_KEY.rawValue, tlsTexts[0], MHD_OPTION.HTTPS_MEM_CERT.rawValue, tlsTexts[1]]
    }
    return list + [MHD_OPTION.END.rawValue]
  }

  var inFlight: Int { state.withLock { $0.exchanges.count } }

  // MARK: The library's calls, on its threads

  private static let onAccess: MHD_AccessHandlerCallback = {
    context, connection, path, method, _, bytes, count, state in
    guard let context, let connection, let path, let method, let count, let state else { return .NO }
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    guard let known = state.pointee else {
      let exchange = Exchange(RequestReader.request(connection, method: method, path: path))
      state.pointee = Unmanaged.passRetained(exchange).toOpaque()
      return daemon.began(exchange, on: connection)
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    guard count.pointee > 0 else { return daemon.ended(exchange, on: connection) }
    let block = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
    count.pointee = 0
    return exchange.append(block, limit: daemon.options.bodyBytesMax) ? .YES : .NO
  }

  private static let onConnection: MHD_NotifyConnectionCallback = { context, connection, _, what in
    guard let context, let connection else { return }
    let deadlines = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().deadlines
    let id = Int(bitPattern: connection)
    switch what {
    case .CONNECTION_NOTIFY_STARTED: deadlines.opened(id, descriptor: cmicrohttpd_descriptor(connection))
    case .CONNECTION_NOTIFY_CLOSED: deadlines.closed(id)
    }
  }

  private static let onCompleted: MHD_RequestCompletedCallback = { context, connection, state, _ in
    guard let context, let known = state?.pointee else { return }
    state?.pointee = nil
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    daemon.deadlines.requestIsAnswered(on: Int(bitPattern: connection))
    daemon.completed(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue())
  }

  /// Paths and parameters stay percent-encoded: whoever splits them decodes them.
  private static let keepEscapes:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in text.map { strlen($0) } ?? 0
    }

  /// The headers are there: a body that is announced as too large need not be sent.
  private func began(_ exchange: Exchange, on connection: OpaquePointer) -> MHD_Result {
    guard let announced = RequestReader.announcedBytes(exchange.request), announced > UInt64(options.bodyBytesMax)
    else { return .YES }
    exchange.phase = .answered
    return ResponseWriter.queue(Self.plain(413, "the body is over \(options.bodyBytesMax) bytes"), on: connection)
  }

  /// The request is there as a whole, or its answer is.
  private func ended(_ exchange: Exchange, on connection: OpaquePointer) -> MHD_Result {
    switch exchange.phase {
    case .reading where exchange.isTooLarge:
      exchange.phase = .answered
      return ResponseWriter.queue(Self.plain(413, "the body is over \(options.bodyBytesMax) bytes"), on: connection)
    case .reading:
      deadlines.requestIsRead(on: Int(bitPattern: connection))
      return answer(exchange, on: connection)
    case .answering:
      guard let response = exchange.answer else { return .YES }
      exchange.phase = .answered
      return ResponseWriter.queue(response, on: connection)
    case .answered:
      return .YES
    }
  }

  private func answer(_ exchange: Exchange, on connection: OpaquePointer) -> MHD_Result {
    switch handler {
    case .direct(let handle):
      exchange.phase = .answered
      return ResponseWriter.queue(handle(exchange.request), on: connection)
    case .suspending(let handle):
      let connection = Connection(pointer: connection)
      guard enter(exchange, on: connection) else {
        exchange.phase = .answered
        return ResponseWriter.queue(Self.unavailable, on: connection.pointer)
      }
      exchange.phase = .answering
      MHD_suspend_connection(connection.pointer)
      let request = exchange.request
      Task { self.leave(exchange, with: await handle(request)) }
      return .YES
    }
  }

  // MARK: Exchanges in flight

  private func enter(_ exchange: Exchange, on connection: Connection) -> Bool {
    state.withLock { state in
      guard !state.isStopped, state.exchanges.count < options.inFlightMax else { return false }
      state.exchanges[ObjectIdentifier(exchange)] = (exchange, connection)
      return true
    }
  }

  /// Resumes the connection with the answer; an exchange that was already answered is left alone.
  private func leave(_ exchange: Exchange, with response: HTTPResponse) {
    guard exchange.answer(response) else { return }
    let connection = state.withLock { $0.exchanges[ObjectIdentifier(exchange)]?.connection }
    if let connection { MHD_resume_connection(connection.pointer) }
  }

  /// The answer has left as a whole, or the client is gone.
  private func completed(_ exchange: Exchange) {
    let isLast = state.withLock { state in
      state.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) != nil && state.exchanges.isEmpty
    }
    if isLast { idle.raise() }
  }

  func stop(timeoutSeconds: Double) async {
    let wasStopped = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped
    }
    guard let pointer, !wasStopped else { return }
    let socket = MHD_quiesce_daemon(pointer)
    if socket >= 0 { close(socket) }
    endStreams()
    await waitUntilIdle(seconds: timeoutSeconds)
    for (exchange, _) in state.withLock({ Array($0.exchanges.values) }) { leave(exchange, with: Self.unavailable) }
    endStreams()
    await waitUntilIdle(seconds: Self.lastAnswersSeconds)
    deadlines.stop()
    MHD_stop_daemon(pointer)
  }

  private func waitUntilIdle(seconds: Double) async {
    let deadline = MonotonicClock.now + seconds
    while inFlight > 0, MonotonicClock.now < deadline {
      await idle.wait(seconds: deadline - MonotonicClock.now)
    }
  }

  /// A stream has no end of its own, and a sleeping connection may not be there when the daemon stops.
  private func endStreams() {
    for (exchange, _) in state.withLock({ Array($0.exchanges.values) }) {
      if case .stream(let stream) = exchange.answer?.body { stream.finish() }
    }
  }

  private static let unavailable = plain(503, "too much to do, or shutting down; try again", ("Retry-After", "1"))

  private static func plain(_ status: Int, _ text: String, _ headers: (String, String)...) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: [("Content-Type", "text/plain; charset=utf-8")] + headers.map { (name: $0.0, value: $0.1) },
      body: Array((text + "\n").utf8))
  }
}
