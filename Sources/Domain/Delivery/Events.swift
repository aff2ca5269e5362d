/// What a record of the platform said, understood. Refusals never get this far (see the decoder's `Refusal`).
public enum DeliveryEvent: Equatable, Sendable {
  case order(OrderEvent)
  case rider(RiderEvent)
}

/// One event of one order.
public struct OrderEvent: Equatable, Sendable {
  public var order: OrderID
  public var what: OrderHappening
  public var stamp: Stamp
  /// The source's own id, for `explain` and for ties of equal sequences; never for de-duplication.
  public var eventID: String
  public var changes: OrderChanges
  /// W3C trace context, carried through to the pushes it causes.
  public var traceparent: String?

  public init(
    order: OrderID, what: OrderHappening, stamp: Stamp, eventID: String, changes: OrderChanges = OrderChanges(),
    traceparent: String? = nil
  ) {
    self.order = order
    self.what = what
    self.stamp = stamp
    self.eventID = eventID
    self.changes = changes
    self.traceparent = traceparent
  }
}

public enum OrderHappening: Equatable, Hashable, Sendable {
  /// placed ... arriving, returning and the four terminal stages.
  case stage(Stage)
  case riderAssigned
  case riderUnassigned
  case riderAtStore
  /// Only data changed.
  case updated
  case reopened(Stage)
  /// A tombstone record: forget the personal data of this order.
  case forgotten

  /// The event's CloudEvents type without the `order.` prefix, bounded: fit for a metric label.
  public var name: String {
    switch self {
    case .stage(let stage): stage.name
    case .riderAssigned: "riderAssigned"
    case .riderUnassigned: "riderUnassigned"
    case .riderAtStore: "riderAtStore"
    case .updated: "updated"
    case .reopened: "reopened"
    case .forgotten: "forgotten"
    }
  }
}

/// Fields that an event may carry; nil means "says nothing about it". Each is kept by the highest sequence that set it.
public struct OrderChanges: Equatable, Sendable {
  public var user: UserID?
  public var placedBy: InstallationID?
  /// Bundle id of the app that the order belongs to.
  public var app: String?
  /// Picks among several attributes types; `pickup` means that the customer collects.
  public var kind: String?
  public var store: StoreInfo?
  public var destination: Coordinate?
  public var rider: RiderInfo?
  public var promisedAt: Instant?
  public var schedule: ScheduleWindow?
  public var estimatedReadyAt: Instant?
  public var stopsBefore: Int?
  /// The platform's own arrival estimate.
  public var platformArrival: Instant?
  public var deliveredAt: Instant?
  public var reason: String?
  public var cancelledBy: String?
  /// Passed through to the shape.
  public var attributes: [String: String]?

  public init() {}
}

public struct StoreInfo: Equatable, Hashable, Sendable {
  public var id: String?
  public var name: String?
  public var location: Coordinate?

  public init(id: String? = nil, name: String? = nil, location: Coordinate? = nil) {
    self.id = id
    self.name = name
    self.location = location
  }
}

public struct RiderInfo: Equatable, Hashable, Sendable {
  public var id: RiderID
  public var name: String?
  public var vehicle: String?
  public var location: Coordinate?

  public init(id: RiderID, name: String? = nil, vehicle: String? = nil, location: Coordinate? = nil) {
    self.id = id
    self.name = name
    self.vehicle = vehicle
    self.location = location
  }
}

public struct ScheduleWindow: Equatable, Hashable, Sendable {
  public var from: Instant
  public var to: Instant

  /// Refuses a window that ends before it begins.
  public init?(from: Instant, to: Instant) {
    guard from <= to else { return nil }
    self.from = from
    self.to = to
  }
}

/// One event of one rider.
public struct RiderEvent: Equatable, Sendable {
  public enum Happening: Equatable, Sendable {
    case position(Fix)
    case offline
    case online
  }

  public var rider: RiderID
  public var what: Happening
  public var time: Instant
  public var traceparent: String?

  public init(rider: RiderID, what: Happening, time: Instant, traceparent: String? = nil) {
    self.rider = rider
    self.what = what
    self.time = time
    self.traceparent = traceparent
  }
}
