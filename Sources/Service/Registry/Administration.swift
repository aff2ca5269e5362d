import Domain

/// What operators do, and log-outs: changes the rows, leaves a trace and wakes the dispatcher.
public struct Administration: Sendable {
  private static let forgetTriesMax = 10

  private let store: any AdministrationStore
  private let deliveries: any DeliveryStore
  private let waker: any Waker
  private let clock: any Clock

  public init(
    store: any AdministrationStore, deliveries: any DeliveryStore, waker: any Waker, clock: any Clock
  ) {
    self.store = store
    self.deliveries = deliveries
    self.waker = waker
    self.clock = clock
  }

  /// Log-out or uninstall. - Returns: false when the installation is not registered.
  public func logOut(_ installation: InstallationID) async throws -> Bool {
    let isKnown = try await store.logOut(installation, now: clock.now())
    if isKnown { waker.wake(Wakes(phones: [installation])) }
    return isKnown
  }

  public func installations(of user: UserID) async throws -> [InstallationSummary] {
    try await store.installations(of: user, now: clock.now())
  }

  /// - Parameter subject: what the audit log says instead of the user's id, which it must not keep.
  public func erase(_ user: UserID, subject: String, actor: String) async throws {
    let erased = try await store.erase(user, now: clock.now())
    for order in erased.orders { try await forget(order) }
    waker.wake(Wakes(phones: Set(erased.phones)))
    try await audit("user.erase", subject, actor)
  }

  /// Takes what is personal out of an order; its course goes on. An order that ingest writes meanwhile is read anew.
  private func forget(_ order: OrderID) async throws {
    for _ in 0..<Self.forgetTriesMax {
      guard var row = try await deliveries.load(orders: [order], riders: []).orders[order] else { return }
      let stamp = Stamp(space: SequenceSpace(name: "erasure", rank: 0), sequence: 1, time: clock.now())
      let event = OrderEvent(order: order, what: .forgotten, stamp: stamp, eventID: "")
      _ = Tracker.apply(event, to: &row.value.delivery, now: clock.now())
      row.value.delivery.snapshot?.riderName = nil
      var commit = IngestCommit(now: clock.now())
      commit.orders = [row]
      if try await deliveries.commit(commit) == .committed { return }
    }
    throw StoreUnavailable("an order is written all the time; erase the user again")
  }

  /// - Returns: the number of phones that will be told the newest state again; nil for an unknown order.
  public func resend(_ order: OrderID, actor: String) async throws -> Int? {
    guard let phones = try await store.forgetTold(of: order) else { return nil }
    try await audit("order.resend", order.text, actor)
    waker.wake(Wakes(orders: [order], phones: Set(phones)))
    return phones.count
  }

  /// - Returns: the number of phones whose cards of this order will be ended; nil for an unknown order.
  public func end(_ order: OrderID, actor: String) async throws -> Int? {
    guard let phones = try await store.endCards(of: order, now: clock.now()) else { return nil }
    try await audit("order.end", order.text, actor)
    waker.wake(Wakes(orders: [order], phones: Set(phones)))
    return phones.count
  }

  public func rollout() async throws -> Rollout? { try await store.rollout() }

  public func setRollout(_ rollout: Rollout, summary: String, actor: String) async throws {
    try await store.setRollout(rollout, now: clock.now())
    try await audit("mode.set", summary, actor)
  }

  private func audit(_ action: String, _ subject: String, _ actor: String) async throws {
    try await store.audit(AuditEntry(at: clock.now(), actor: actor, action: action, subject: subject))
  }
}
