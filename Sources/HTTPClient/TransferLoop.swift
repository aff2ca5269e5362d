import CCurl
import Runtime

/// The client's thread: a queue of requests and libcurl's multi handle.
final class TransferLoop: Sendable {
  private struct Waiting: Sendable {
    var request: HTTPClientRequest
    var completion: Completion
    var deadline: Double
  }

  private struct State: Sendable {
    var waiting: [Waiting] = []
    /// Waiting and running.
    var inHand = 0
    var isClosed = false
  }

  private struct Multi: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  private let options: HTTPClient.Options
  private let state = Lock(State())
  private let multi: Multi?

  init(options: HTTPClient.Options) {
    self.options = options
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    multi = curl_multi_init().map(Multi.init)
    guard let multi else { return }
    ccurl_multi_set_long(multi.pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connectionsMax)
    ccurl_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, options.connectionsMax)
    SystemThread(name: "http-client") { [self] in run(multi) }.detach()
  }

  func add(_ request: HTTPClientRequest, completion: @escaping Completion) {
    let waiting = Waiting(
      request: request, completion: completion, deadline: MonotonicClock.now + request.timeoutSeconds)
    let refusal = state.withLock { state -> HTTPClientError? in
      guard !state.isClosed, multi != nil else { return .closed }
      guard state.inHand < options.queueMax else { return .busy(queueMax: options.queueMax) }
      state.inHand += 1
      state.waiting.append(waiting)
      wakeUp()
      return nil
    }
    if let refusal { completion(.failure(refusal)) }
  }

  func close() {
    state.withLock { state in
      if !state.isClosed { wakeUp() }
      state.isClosed = true
    }
  }

  /// Only under the lock and before `isClosed`: afterwards the thread frees the handle.
  private func wakeUp() {
    if let multi { curl_multi_wakeup(multi.pointer) }
  }

  private func run(_ multi: Multi) {
    var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    var idleHandles: [UnsafeMutableRawPointer] = []
    while true {
      let (waiting, isClosed) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.isClosed)
      }
      if isClosed { return end(multi, waiting: waiting, transfers: transfers, idleHandles: idleHandles) }
      for entry in waiting { start(entry, multi, &transfers, &idleHandles) }
      var running: Int32 = 0
      curl_multi_perform(multi.pointer, &running)
      collect(multi, &transfers, &idleHandles)
      curl_multi_poll(multi.pointer, nil, 0, 1000, nil)
    }
  }

  private func start(
    _ entry: Waiting, _ multi: Multi, _ transfers: inout [UnsafeMutableRawPointer: Transfer],
    _ idleHandles: inout [UnsafeMutableRawPointer]
  ) {
    let transfer = Transfer(entry.request, options: options, completion: entry.completion)
    guard let handle = idleHandles.popLast() ?? curl_easy_init() else {
      state.withLock { $0.inHand -= 1 }
      return entry.completion(.failure(.failed(url: entry.request.url, reason: "out of memory")))
    }
    transfer.prepare(handle, options: options, remainingSeconds: entry.deadline - MonotonicClock.now)
    transfers[handle] = transfer
    curl_multi_add_handle(multi.pointer, handle)
  }

  private func collect(
    _ multi: Multi, _ transfers: inout [UnsafeMutableRawPointer: Transfer],
    _ idleHandles: inout [UnsafeMutableRawPointer]
  ) {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi.pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      curl_multi_remove_handle(multi.pointer, handle)
      state.withLock { $0.inHand -= 1 }
      transfers.removeValue(forKey: handle)?.finish(code, handle: handle)
      curl_easy_reset(handle)
      if idleHandles.count < options.connectionsMax { idleHandles.append(handle) } else { curl_easy_cleanup(handle) }
    }
  }

  private func end(
    _ multi: Multi, waiting: [Waiting], transfers: [UnsafeMutableRawPointer: Transfer],
    idleHandles: [UnsafeMutableRawPointer]
  ) {
    for entry in waiting { entry.completion(.failure(.closed)) }
    for (handle, transfer) in transfers {
      curl_multi_remove_handle(multi.pointer, handle)
      curl_easy_cleanup(handle)
      transfer.completion(.failure(.closed))
    }
    for handle in idleHandles { curl_easy_cleanup(handle) }
    curl_multi_cleanup(multi.pointer)
  }
}
