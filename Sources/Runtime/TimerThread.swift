/// The one thread behind every `TimedSignal`: runs short actions at a time on the monotonic clock.
final class TimerThread: @unchecked Sendable {
  static let shared = TimerThread()

  private let condition = Condition()
  private var queue = TimerQueue<@Sendable () -> Void>()

  private init() {
    SystemThread(name: "timers") { [self] in run() }.detach()
  }

  func schedule(afterSeconds seconds: Double, _ action: @escaping @Sendable () -> Void) -> TimerID {
    condition.lock()
    defer { condition.unlock() }
    let time = MonotonicClock.now + seconds
    let isEarliest = queue.nextTime.map { time < $0 } ?? true
    let id = queue.add(at: time, action)
    if isEarliest { condition.signal() }
    return id
  }

  func cancel(_ id: TimerID) {
    condition.lock()
    queue.cancel(id)
    condition.unlock()
  }

  private func run() -> Never {
    condition.lock()
    while true {
      if let action = queue.popDue(now: MonotonicClock.now) {
        condition.unlock()
        action()
        condition.lock()
      } else if let next = queue.nextTime {
        condition.wait(until: next)
      } else {
        condition.wait()
      }
    }
  }
}
