/// What is known of one rider between batches: guarded by fix time (docs/delivery-semantics.md 1.8).
public struct RiderState: Equatable, Sendable {
  public let id: RiderID
  /// The newest believed position.
  public var lastFix: Fix?
  public var isOnline = true
  /// When `isOnline` was last said; an older word changes nothing.
  public var onlineAt: Instant?
  /// A refused far-away position that the next ones may confirm, and how many agreed so far.
  public var suspect: Suspect?

  public struct Suspect: Equatable, Sendable {
    public var fix: Fix
    public var agreeing: Int

    public init(fix: Fix, agreeing: Int) {
      self.fix = fix
      self.agreeing = agreeing
    }
  }

  public init(id: RiderID) { self.id = id }

  public mutating func set(online: Bool, at time: Instant) {
    guard onlineAt.map({ time > $0 }) ?? true else { return }
    isOnline = online
    onlineAt = time
  }
}
