import Domain

/// Says why phones show of an order what they show (docs/interface.md 1, `doorstep explain`).
public struct Explainer: Sendable {
  private let deliveries: any DeliveryStore
  private let dispatch: any DispatchStore
  private let policy: DispatchPolicy
  private let clock: any Clock

  public init(
    deliveries: any DeliveryStore, dispatch: any DispatchStore, policy: DispatchPolicy = DispatchPolicy(),
    clock: any Clock
  ) {
    self.deliveries = deliveries
    self.dispatch = dispatch
    self.policy = policy
    self.clock = clock
  }

  /// nil for an order that is not known.
  public func explain(_ order: OrderID) async throws -> Explanation? {
    guard let delivery = try await deliveries.load(orders: [order], riders: []).orders[order]?.value.delivery else {
      return nil
    }
    let now = clock.now()
    let phones = try await dispatch.phones(for: Wakes(orders: [order]), now: now).compactMap { phone in
      Self.phone(phone.view, order: order, decision: policy.decide(phone.view, now: now))
    }
    return Explanation(
      order: order, stage: delivery.stage, user: delivery.user, app: delivery.app, heardAt: delivery.heardAt,
      snapshot: delivery.snapshot, said: Self.said(delivery), phones: phones, at: now)
  }

  private static func phone(_ view: PhoneView, order: OrderID, decision: PhoneDecision) -> Explanation.Phone? {
    view.orders.first { $0.id == order }.map {
      Explanation.Phone(
        installation: view.installation, order: $0, verdict: decision.verdicts[order],
        lookAgainAt: decision.lookAgainAt)
    }
  }

  private static func said(_ delivery: Delivery) -> [Explanation.Said] {
    delivery.happenings.stages.flatMap(\.entries).map { entry in
      Explanation.Said(
        stage: entry.value, time: entry.mark.stamp.time, sequence: entry.mark.stamp.sequence,
        space: entry.mark.stamp.space.name)
    }.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
  }
}
