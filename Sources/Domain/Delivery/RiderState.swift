/// What is known of one rider between batches: guarded by fix time (docs/delivery-semantics.md 1.8).
public struct RiderState: Equatable, Sendable {
  public let id: RiderID
  public var lastFix: Fix?
  public var isOnline = true

  public init(id: RiderID) { self.id = id }
}
