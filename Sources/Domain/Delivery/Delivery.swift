/// One order's state: what all events so far add up to, and what was shown of it.
///
/// The state converges whatever the arrival order of events (docs/delivery-semantics.md 1.1); only `Tracker` writes
/// it. What was *shown* (`snapshot`, `latch`) never goes back within one life; only `Presenter` writes it.
public struct Delivery: Equatable, Sendable {
  public let id: OrderID
  public var fields = DeliveryFields()
  public var happenings = DeliveryHappenings()
  /// Newest time that any event gave, as given (rule 1.4); the distant past when there was none.
  public var heardAt: Instant = .distantPast
  /// Personal data was asked to be forgotten, and later events do not bring it back.
  public var isForgotten = false

  /// What every phone of this order should show; nil until the order said anything showable.
  public var snapshot: Snapshot?
  public var latch = ShownLatch()
  /// When the estimate should be looked at again without any event; nil when never.
  public var refreshAt: Instant?

  public init(id: OrderID) { self.id = id }
}

extension Delivery {
  public var user: UserID? { fields.user.value }
  public var placedBy: InstallationID? { fields.placedBy.value }
  public var app: String? { fields.app.value }
  public var kind: String? { fields.kind.value }
  /// Who brings it now; nil while unassigned.
  public var rider: RiderID? { fields.rider.value ?? nil }
  /// The planned time of a scheduled order: no card before its lead time.
  public var schedule: ScheduleWindow? { fields.schedule.value }
  /// Collected by the customer: no rider, no last leg.
  public var isPickup: Bool { kind == "pickup" }

  /// Where the order truly stands, as opposed to `snapshot.stage`, which never goes back.
  public var stage: Stage { standing.stage }

  /// When it reached a terminal stage, in business time as given; nil while it runs.
  public var finishedAt: Instant? {
    let standing = standing
    guard standing.stage.isTerminal else { return nil }
    return standing.stage == .delivered
      ? fields.deliveredAt.value ?? standing.mark?.stamp.time : standing.mark?.stamp.time
  }

  /// When the current rider was assigned by an explicit event: earlier positions of theirs do not count.
  public var assignedAt: Instant? {
    guard rider != nil, let assigned = happenings.assigned.winner, assigned.value else { return nil }
    return assigned.mark.stamp.time
  }

  /// Name and vehicle of the current rider, as far as known.
  public var riderDetails: RiderInfo? {
    guard let rider, let details = fields.riderDetails.value, details.id == rider else { return nil }
    return details
  }

  /// Beginning of `stage` as its newest event said; nil when no event said it.
  public func began(_ stage: Stage) -> Instant? {
    happenings.stages.first { $0.value == stage }?.winner?.mark.stamp.time
  }
}
