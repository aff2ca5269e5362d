/// What can go wrong in a simulated world. The counts are printed, so that a world without faults shows.
public enum FaultKind: String, CaseIterable, Sendable {
  /// The platform's stream.
  case eventDuplicated, eventDelayed, eventReordered, positionLost, clockSkewed, recordRedelivered
  /// The service.
  case crashed, storeAway, commitInDoubt, wakeLost, wakeDoubled
  /// The way to APNs.
  case pushNotSent, pushRefused, answer500, answer503, answer429, answerLost, pushSilent, answerSlow
  case droppedOnDevice
  /// The users.
  case offline, swiped, rotated, forceQuit, rebooted, opened
}

/// How often each kind of fault was injected.
public struct FaultTally: Equatable, Sendable {
  public private(set) var counts: [FaultKind: Int] = [:]

  public init() {}

  public mutating func count(_ kind: FaultKind) { counts[kind, default: 0] += 1 }
  public mutating func add(_ other: FaultTally) { counts.merge(other.counts) { $0 + $1 } }
}
