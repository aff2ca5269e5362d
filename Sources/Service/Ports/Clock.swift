import Domain

/// The clocks of docs/delivery-semantics.md 2, as the use cases may see them.
public protocol Clock: Sendable {
  /// Business time: the only `now` of decisions. Scaled in a demo, virtual in the simulation.
  func now() -> Instant
  /// Real time of day, for latencies against Kafka's record timestamps.
  func wall() -> Instant
  /// Seconds of a clock that never steps, for deadlines.
  func monotonic() -> Double
  /// The business instant that many real seconds from now.
  func instant(afterSeconds seconds: Double) -> Instant
  /// Waits that many real seconds, or less when the task is cancelled.
  func pause(seconds: Double) async
}
