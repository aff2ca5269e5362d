import Domain

/// Takes what apps say about themselves and their cards, and wakes the dispatcher.
///
/// The rules are docs/delivery-semantics.md 4.1 and 5.4.
public struct Registry: Sendable {
  /// How long an app may take from announcing a start to registering it: the hold-off of the placing phone (rule 4.1).
  public static let intentSeconds = 20.0

  private let store: any RegistryStore
  private let waker: any Waker
  private let clock: any Clock

  public init(store: any RegistryStore, waker: any Waker, clock: any Clock) {
    self.store = store
    self.waker = waker
    self.clock = clock
  }

  public func owner(of installation: InstallationID) async throws -> InstallationOwner? {
    try await store.owner(of: installation)
  }

  /// - Parameter credentialHash: SHA-256 of a credential to be issued with this registration; nil keeps the held one.
  public func register(
    _ report: InstallationReport, credentialHash: [UInt8]? = nil
  ) async throws -> RegistrationOutcome {
    let outcome = try await store.register(report, credentialHash: credentialHash, now: clock.now())
    if outcome == .registered { waker.wake(Wakes(phones: [report.id])) }
    return outcome
  }

  public func report(_ report: ActivityReport) async throws -> ActivityOutcome {
    let now = clock.now()
    var report = report
    // A phone's clock may be fast: a card cannot have begun later than it was reported.
    report.startedAt = min(report.startedAt, now)
    let outcome = try await store.report(report, now: now)
    if case .registered = outcome { waker.wake(Wakes(phones: [report.installation])) }
    return outcome
  }

  /// - Returns: whether a push start is already on its way: then the app waits for that card (rule 4.1).
  public func announceStart(_ intent: StartIntent) async throws -> Bool {
    let now = clock.now()
    return try await store.claimStartIntent(
      order: intent.order, installation: intent.installation, until: now.advanced(by: Self.intentSeconds), now: now)
  }

  /// The order's user and what a phone should show of it; nil when the order is not known.
  public func snapshot(of order: OrderID) async throws -> (user: UserID?, snapshot: Snapshot?)? {
    try await store.snapshot(of: order)
  }
}
