/// What a task waits on: raised by news, or let go by a time-out or by cancellation.
///
/// A raise wakes everyone who waits. One that finds nobody waiting is kept for the next wait; several fold into one.
public final class TimedSignal: Sendable {
  private struct Waiter {
    var continuation: CheckedContinuation<Void, Never>
    var timer: TimerID?
  }

  private struct State {
    var raised = false
    var lastID: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }

  private let state = Lock(State())

  public init() {}

  /// Wakes the waiters; safe on any thread, never blocks.
  public func raise() {
    let waiters = state.withLock { state -> [Waiter] in
      if state.waiters.isEmpty { state.raised = true }
      let waiters = Array(state.waiters.values)
      state.waiters.removeAll()
      return waiters
    }
    waiters.forEach(Self.wake)
  }

  /// Returns when raised, after `seconds` of real time (nil: no limit), or when the task is cancelled.
  public func wait(seconds: Double? = nil) async {
    let id = state.withLock { state -> UInt64 in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { park($0, id: id, seconds: seconds) }
    } onCancel: {
      release(id)
    }
  }

  private func park(_ continuation: CheckedContinuation<Void, Never>, id: UInt64, seconds: Double?) {
    let parked = state.withLock { state -> Bool in
      // Cancellation is flagged before its handler runs: either it is seen here, or the handler finds the waiter.
      if state.raised || Task.isCancelled || seconds.map({ $0 <= 0 }) ?? false {
        state.raised = false
        return false
      }
      state.waiters[id] = Waiter(continuation: continuation, timer: nil)
      return true
    }
    guard parked else { return continuation.resume() }
    guard let seconds else { return }
    let timer = TimerThread.shared.schedule(afterSeconds: seconds) { [self] in release(id) }
    let stillParked = state.withLock { state -> Bool in
      state.waiters[id]?.timer = timer
      return state.waiters[id] != nil
    }
    if !stillParked { TimerThread.shared.cancel(timer) }
  }

  private func release(_ id: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    if let waiter { Self.wake(waiter) }
  }

  private static func wake(_ waiter: Waiter) {
    if let timer = waiter.timer { TimerThread.shared.cancel(timer) }
    waiter.continuation.resume()
  }
}
