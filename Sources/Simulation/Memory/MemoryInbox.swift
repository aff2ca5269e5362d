import Domain
import Service

/// The dispatcher's mailbox on a single thread: waiting is the simulation's business, so `wait` returns at once.
public final class MemoryInbox: DispatchInbox, @unchecked Sendable {
  // Unchecked: used from one executor only.
  private var wakes = Wakes()
  private var answers: [PushAnswer] = []

  public init() {}

  public var isEmpty: Bool { wakes.isEmpty && answers.isEmpty }

  public func wake(_ wakes: Wakes) { self.wakes.merge(wakes) }
  public func answered(_ answers: [PushAnswer]) { self.answers += answers }

  public func drain() -> (wakes: Wakes, answers: [PushAnswer]) {
    defer { (wakes, answers) = (Wakes(), []) }
    return (wakes, answers)
  }

  public func wait(until deadline: Instant) async {}
}
