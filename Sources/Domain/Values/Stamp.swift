/// A set of topics whose sequence numbers may be compared (docs/delivery-semantics.md 1.2).
public struct SequenceSpace: Hashable, Sendable {
  public let name: String
  /// Decides between winners of several spaces at the same time: the higher rank wins.
  public let rank: Int

  public init(name: String, rank: Int) {
    self.name = name
    self.rank = rank
  }
}

/// The order of an event among others of its order: business sequence within a space, time between spaces.
public struct Stamp: Hashable, Sendable {
  public var space: SequenceSpace
  /// At least 1. In a space of mode `time`: the event's time in microseconds.
  public var sequence: Int64
  /// When it happened at the source, as given (also when it lies in the future, rule 1.4).
  public var time: Instant

  public init(space: SequenceSpace, sequence: Int64, time: Instant) {
    self.space = space
    self.sequence = sequence
    self.time = time
  }
}
