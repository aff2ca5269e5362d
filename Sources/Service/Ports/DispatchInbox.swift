import Domain

/// Where news for the dispatcher is left: by ingest, the registry and timers.
public protocol Waker: Sendable {
  /// Takes note and returns at once. News of the same phone or order fold into one.
  func wake(_ wakes: Wakes)
}

/// The dispatcher's mailbox: news and answers of APNs come in from any thread, the dispatcher takes all at once.
public protocol DispatchInbox: Waker, PushAnswerSink {
  /// Everything left since the last call.
  func drain() -> (wakes: Wakes, answers: [PushAnswer])
  /// Returns when something is there, when business time reaches `deadline`, or when the task is cancelled.
  func wait(until deadline: Instant) async
}
