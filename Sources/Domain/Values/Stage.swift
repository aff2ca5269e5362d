/// Where a delivery stands, in the order in which a customer may see the stages.
public enum Stage: UInt8, CaseIterable, Comparable, Sendable {
  case placed, accepted, preparing, ready, pickedUp, delivering, arriving, returning
  case delivered, cancelled, failed, returned

  /// The word in ContentState, metrics and settings. A switch: reflection would cost more than the rest of a payload.
  public var name: String {
    switch self {
    case .placed: "placed"
    case .accepted: "accepted"
    case .preparing: "preparing"
    case .ready: "ready"
    case .pickedUp: "pickedUp"
    case .delivering: "delivering"
    case .arriving: "arriving"
    case .returning: "returning"
    case .delivered: "delivered"
    case .cancelled: "cancelled"
    case .failed: "failed"
    case .returned: "returned"
    }
  }

  public init?(name: String) {
    guard let stage = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = stage
  }

  public var isTerminal: Bool { self >= .delivered }

  public static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}

/// What the rider does for this order, apart from the stage: assignment is orthogonal to preparation.
public enum RiderPhase: UInt8, CaseIterable, Sendable {
  case none, assigned, atStore, carrying

  public var name: String {
    switch self {
    case .none: "none"
    case .assigned: "assigned"
    case .atStore: "atStore"
    case .carrying: "carrying"
    }
  }
}
