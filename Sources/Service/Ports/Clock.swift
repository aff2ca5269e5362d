import Domain

/// Business time (docs/delivery-semantics.md 2): the only source of `now` in the use cases.
public protocol Clock: Sendable {
  func now() -> Instant
}

/// What a use case waits on: raised by news, or by the clock reaching an instant.
///
/// A raise that finds nobody waiting is kept for the next wait; several raises may fold into one.
public protocol Signal: Sendable {
  func raise()
  /// Returns when raised, when business time reaches `deadline` (never, when nil), or when the task is cancelled.
  func wait(until deadline: Instant?) async
}
