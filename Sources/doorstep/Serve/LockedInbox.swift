import Domain
import Runtime
import Service

/// The dispatcher's mailbox: any thread leaves news, the dispatcher takes them all at once.
final class LockedInbox: DispatchInbox {
  private struct Content: Sendable {
    var wakes = Wakes()
    var answers: [PushAnswer] = []
  }

  private let content = Lock(Content())
  private let signal = TimedSignal()
  private let clock: SystemClock

  init(clock: SystemClock) { self.clock = clock }

  func wake(_ wakes: Wakes) {
    content.withLock { $0.wakes.merge(wakes) }
    signal.raise()
  }

  func answered(_ answers: [PushAnswer]) {
    content.withLock { $0.answers += answers }
    signal.raise()
  }

  func drain() -> (wakes: Wakes, answers: [PushAnswer]) {
    content.withLock { content in
      defer { content = Content() }
      return (content.wakes, content.answers)
    }
  }

  func wait(until deadline: Instant) async {
    await signal.wait(seconds: clock.realSeconds(until: deadline))
  }
}

/// Wakes two.
struct Tee: Waker {
  let first: any Waker
  let second: any Waker

  func wake(_ wakes: Wakes) {
    first.wake(wakes)
    second.wake(wakes)
  }
}
