/// How state becomes something to show. Every value's default is here.
public struct PresentationSettings: Equatable, Sendable {
  public enum NameStyle: String, Sendable, CaseIterable { case full, first, none }

  public var riderName = NameStyle.first
  /// Later than promised by more than this is called delayed, seconds.
  public var delayedAfterSeconds = 300.0
  /// A scheduled order shows its window instead of an estimate until so long before it begins.
  public var scheduledLeadSeconds = 3600.0

  /// The shown arrival moves when the estimate differs by more than this share of the time to go ...
  public var deadBandShare = 0.2
  /// ... but not for less than this, seconds,
  public var deadBandSecondsMin = 90.0
  /// and always for more than this, seconds.
  public var deadBandSecondsMax = 480.0
  /// The shown time to go of an undelivered order never falls under this, seconds.
  public var shownSecondsMin = 60.0
  /// At most so much is added when a shown arrival passes at the door, seconds.
  public var overdueAtDoorSecondsMax = 180.0
  /// Looks at a running estimate without any event, seconds apart.
  public var refreshSeconds = 60.0

  /// Nearer than this to the destination, or ...
  public var arrivingMeters = 250.0
  /// ... with less than this to go, seconds, within `arrivingMetersMax`: arriving.
  public var arrivingSeconds = 90.0
  public var arrivingMetersMax = 1_000.0
  /// Leaving means being farther than this, so that noise at the edge does not restart the count.
  public var leavingMeters = 400.0
  /// So long near, by the positions' own times, makes it arriving, seconds.
  public var arrivingHoldSeconds = 5.0
  /// Only a position younger than this makes it arriving, seconds.
  public var arrivingFixSecondsMax = 120.0
  /// A position farther from the destination than this is not of this delivery, metres.
  public var legMetersMax = 200_000.0

  public init() {}
}
