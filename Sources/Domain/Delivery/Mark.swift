/// Where an event stands among the others of its order: its stamp, and its content for events that share a sequence.
public struct Mark: Hashable, Sendable {
  public var stamp: Stamp
  /// Digest of what the event said: events of one space and sequence with different content are a fault of the
  /// source, and the content decides between them so that the result does not depend on which came first.
  public var content: UInt64

  public init(stamp: Stamp, content: UInt64) {
    self.stamp = stamp
    self.content = content
  }

  public func isSameSpace(as other: Mark) -> Bool { stamp.space.name == other.stamp.space.name }

  /// Within a space by sequence, between spaces by time, rank and name (docs/delivery-semantics.md 1.1).
  public func beats(_ other: Mark) -> Bool {
    if isSameSpace(as: other) {
      return (stamp.sequence, stamp.time, content) > (other.stamp.sequence, other.stamp.time, other.content)
    }
    return (stamp.time, stamp.space.rank, stamp.space.name)
      > (other.stamp.time, other.stamp.space.rank, other.stamp.space.name)
  }

  /// One place in the order claimed by two different events.
  public func conflicts(with other: Mark) -> Bool {
    isSameSpace(as: other) && stamp.sequence == other.stamp.sequence
      && (content != other.content || stamp.time != other.stamp.time)
  }
}
