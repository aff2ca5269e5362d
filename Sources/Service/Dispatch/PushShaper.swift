import Codecs
import Domain

/// Turns a reserved plan into the push that leaves: token, body and headers that depend on the kind.
struct PushShaper: Sendable {
  let payloads: PayloadBuilder
  let deadlineSeconds: Double

  /// The token that this plan goes to; nil when the phone has lost it since.
  static func token(for plan: PushPlan, on installation: Installation, order: OrderView) -> PushToken? {
    switch plan.event {
    case .start: plan.attributesType.flatMap { installation.startTokens[$0] }
    case .update, .end: order.cards.first { $0.generation == plan.generation }?.updateToken
    case .alert, .wakeApp: installation.deviceToken
    }
  }

  func push(
    ticket: UInt64, plan: PushPlan, snapshot: Snapshot?, apsTimestamp: Int64, installation: Installation,
    token: PushToken, traceparent: String?
  ) throws(PayloadRefused) -> Push {
    guard let snapshot else { throw PayloadRefused("order \(plan.order.text) has no snapshot to show") }
    let body = try payloads.build(
      plan, order: plan.order, snapshot: snapshot, apsTimestamp: apsTimestamp, installation: installation)
    return Push(
      ticket: ticket, lane: PushLane(bundleID: installation.bundleID, environment: installation.environment),
      kind: plan.event.kind, token: token, priority: plan.priority, expiration: plan.expiration.seconds,
      collapseID: plan.collapseID, body: body, traceparent: traceparent, deadlineSeconds: deadlineSeconds)
  }
}

extension PushPlan.Event {
  var kind: Push.Kind {
    switch self {
    case .start, .update, .end: .liveActivity
    case .alert: .alert
    case .wakeApp: .background
    }
  }
}

extension PushPlan {
  /// Starts and alerts of one order replace each other while stored; updates and ends are never merged away.
  var collapseID: String? {
    switch event {
    case .start, .alert: Self.collapseID(of: order)
    case .update, .end, .wakeApp: nil
    }
  }

  static let collapseBytesMax = 64

  /// The order id where APNs would take it as it is, else a fixed-length digest of it.
  static func collapseID(of order: OrderID) -> String {
    let bytes = Array(order.text.utf8)
    let isPlain = bytes.allSatisfy { (0x21...0x7e).contains($0) }
    guard bytes.count > collapseBytesMax || !isPlain || bytes.isEmpty else { return order.text }
    // FNV-1a: a collision would merely merge the notifications of two orders of one phone.
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "order-" + String(hash, radix: 16)
  }
}
