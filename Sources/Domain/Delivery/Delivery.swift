/// One order's state: what all events so far add up to, and what was shown of it.
///
/// The state converges whatever the arrival order of events (docs/delivery-semantics.md 1.1);
/// what was *shown* is a latch inside it that never goes back within one life.
public struct Delivery: Equatable, Sendable {
  public let id: OrderID
  public var user: UserID?
  public var placedBy: InstallationID?
  public var app: String?
  public var kind: String?
  /// Who brings it now; nil while unassigned.
  public var rider: RiderID?
  /// Where the order truly stands, as opposed to `snapshot.stage`, which never goes back.
  public var stage: Stage
  /// What every phone of this order should show; nil until the order has been placed or said anything showable.
  public var snapshot: Snapshot?
  /// When it reached a terminal stage, in business time; nil while it runs.
  public var finishedAt: Instant?
  /// When the estimate should be looked at again without any event; nil when never.
  public var refreshAt: Instant?
  /// The planned time of a scheduled order: no card before its lead time.
  public var schedule: ScheduleWindow?

  public init(id: OrderID) {
    self.id = id
    stage = .placed
  }
}
