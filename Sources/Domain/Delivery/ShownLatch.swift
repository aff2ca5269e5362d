/// What the display remembers between looks, beside the snapshot itself: none of it goes back within one life.
public struct ShownLatch: Equatable, Sendable {
  /// The reopening that began this life; nil in the first one.
  public var reopening: Mark?
  /// When the rider was first seen near the destination, while still near.
  public var nearSince: Instant?
  /// Arriving was derived from the position; never un-derived.
  public var hasArrived = false
  /// How often in a row the shown arrival passed without news; each time it is put off for longer.
  public var overdueSteps = 0

  public init() {}
}
