import Domain
import Service

extension MemoryStore {
  static let cardsPerOrderAndPhoneMax = 20

  public func report(_ report: ActivityReport, now: Instant) async throws -> ActivityOutcome {
    guard let phone = phones[report.installation] else { return .unknownInstallation }
    if orders[report.order] == nil {
      orders[report.order] = OrderEntry(
        row: OrderRow(delivery: Delivery(id: report.order)), version: 1, knownSince: now)
    }
    guard let entry = orders[report.order] else { return .unknownInstallation }
    let delivery = entry.row.delivery
    let isClaimed = entry.facts.user != nil || entry.facts.placedBy != nil
    guard !isClaimed || entry.facts.belong(to: phone.installation) else { return .forbidden }
    let pair = Pair(order: report.order, phone: report.installation)
    guard let key = card(for: report, pair, life: delivery.snapshot?.life ?? 0) else { return .tooMany }
    guard report.revision >= cards[key]?.revision ?? 0 else { return .outdated(delivery.snapshot) }
    cards[key]?.apply(report, now: now)
    note(report, pair)
    phones[pair.phone]?.registration += 1
    return .registered(delivery.snapshot)
  }

  /// The card that the report is about: by activity id, else the start by push that waits for one, else a new one.
  private func card(for report: ActivityReport, _ pair: Pair, life: Int32) -> CardKey? {
    let keys = cardKeys(pair)
    if let known = keys.last(where: { cards[$0]?.activityID == report.activityID }) { return known }
    let awaited = keys.last {
      cards[$0]?.activityID == nil && [.reserved, .unconfirmed].contains(cards[$0]?.view.phase)
    }
    if report.startedBy == .push, let awaited { return awaited }
    guard keys.count < Self.cardsPerOrderAndPhoneMax else { return nil }
    let generation = (keys.last?.generation ?? 0) + 1
    let key = CardKey(order: pair.order, phone: pair.phone, generation: generation)
    var view = CardView(
      generation: generation, phase: .active, startedBy: report.startedBy, startedAt: report.startedAt,
      attributesType: report.attributesType)
    view.life = life
    cards[key] = CardEntry(view: view)
    return key
  }

  /// What the report says of the phone (rules 4.4, 5.1, 5.2).
  private func note(_ report: ActivityReport, _ pair: Pair) {
    phones[pair.phone]?.installation.seenAt = clock.now()
    switch report.state {
    case .pending, .active, .stale:
      intents[pair] = nil
      if report.startedBy == .app { suppressed.remove(pair) }
      if report.startedBy == .push {
        phones[pair.phone]?.installation.pushToStartProven = true
        phones[pair.phone]?.installation.unconfirmedStartsInRow = 0
      }
    case .ended, .dismissed:
      let cause = report.cause ?? .unknown
      if cause != .replaced && cause != .system { suppressed.insert(pair) }
    }
  }
}

extension MemoryStore.CardEntry {
  fileprivate mutating func apply(_ report: ActivityReport, now: Instant) {
    activityID = report.activityID
    revision = report.revision
    if let token = report.updateToken, token != view.updateToken {
      // A rotated token may have swallowed the newest push: it is said again.
      if view.updateToken != nil { (view.told, view.attempt) = (nil, 0) }
      view.updateToken = token
      tokenRegisteredAt = now
    }
    if let displayed = report.displayedSequence {
      view.known = displayed
      view.knownAt = now
    }
    switch report.state {
    case .pending, .active, .stale: if view.phase == .reserved || view.phase == .unconfirmed { view.phase = .active }
    case .ended, .dismissed: view.phase = .ended
    }
  }
}
