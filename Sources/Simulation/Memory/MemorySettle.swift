import Domain
import Service

extension MemoryStore {
  public func settle(_ settlements: [Settlement]) async throws -> SettleCount {
    var count = SettleCount(settled: 0, outdated: 0)
    for settlement in settlements {
      guard phones[settlement.phone]?.attempt == settlement.attempt, phones[settlement.phone]?.reservedUntil != nil
      else {
        count.outdated += 1
        continue
      }
      phones[settlement.phone]?.reservedUntil = nil
      settle(settlement)
      count.settled += 1
    }
    return count
  }

  private func settle(_ settlement: Settlement) {
    let plan = settlement.plan
    let key = CardKey(order: plan.order, phone: settlement.phone, generation: plan.generation)
    switch settlement.result {
    case .accepted: accept(settlement, card: key)
    case .failed: break
    case .released:
      if plan.event == .start { releaseStart(key) }
      releaseRing(settlement)
    case .startInDoubt: confirmStart(key, settlement)
    case .tokenDead(let token, let since, _): retire(token, since: since, settlement, card: key)
    case .refused:
      if plan.event == .start { cards[key]?.view.phase = .ended }
      cards[key]?.view.refusedSequence = settlement.desired?.sequence
    }
  }

  private func accept(_ settlement: Settlement, card key: CardKey) {
    switch settlement.plan.event {
    case .start: confirmStart(key, settlement)
    case .update: tell(key, settlement)
    case .end:
      tell(key, settlement)
      guard cards[key]?.view.attempt == settlement.attempt, cards[key]?.view.phase != .ended else { return }
      cards[key]?.view.phase = .ending
      cards[key]?.view.endsTold += 1
      cards[key]?.view.endToldAt = settlement.at
    case .alert, .wakeApp: break
    }
  }

  /// Not when the token was rotated since the push was reserved: what the old one took may be lost.
  private func tell(_ key: CardKey, _ settlement: Settlement) {
    guard let desired = settlement.desired, cards[key]?.view.attempt == settlement.attempt else { return }
    cards[key]?.view.told = CardView.Told(
      sequence: desired.sequence, life: desired.life, stage: desired.stage, arrival: desired.arrival,
      staleAt: settlement.plan.staleAt, at: settlement.at)
  }

  /// A start that APNs took, or may have taken. A token that the app registered meanwhile is not touched.
  private func confirmStart(_ key: CardKey, _ settlement: Settlement) {
    tell(key, settlement)
    guard cards[key]?.view.phase == .reserved else { return }
    cards[key]?.view.phase = .unconfirmed
    phones[key.phone]?.installation.unconfirmedStartsInRow += 1
    if phones[key.phone]?.installation.unconfirmedStartsInRow ?? 0 >= 3 {
      phones[key.phone]?.installation.pushToStartProven = false
    }
  }

  private func releaseStart(_ key: CardKey) {
    guard cards[key]?.view.phase == .reserved else { return }
    cards[key] = nil
    _ = phones[key.phone]?.budget.starts.popLast()
  }

  private func releaseRing(_ settlement: Settlement) {
    guard let stage = settlement.plan.ring else { return }
    let pair = Pair(order: settlement.plan.order, phone: settlement.phone)
    rings.remove(RingKey(pair: pair, life: settlement.desired?.life ?? 0, stage: stage))
  }

  /// Compare and delete: a late verdict on an old token never removes its replacement.
  private func retire(_ token: PushToken, since: Instant?, _ settlement: Settlement, card key: CardKey) {
    releaseRing(settlement)
    switch settlement.plan.event {
    case .start:
      releaseStart(key)
      if let type = settlement.plan.attributesType, phones[key.phone]?.installation.startTokens[type] == token {
        phones[key.phone]?.installation.startTokens[type] = nil
      }
    case .alert, .wakeApp:
      if phones[key.phone]?.installation.deviceToken == token { phones[key.phone]?.installation.deviceToken = nil }
    case .update, .end:
      guard let card = cards[key], card.view.updateToken == token else { return }
      if let since, let registered = card.tokenRegisteredAt,
        registered > since.advanced(by: Self.tokenSkewSeconds)
      {
        return
      }
      cards[key]?.view.updateToken = nil
      cards[key]?.view.phase = .ended
      let isOver = orders[key.order]?.row.delivery.finishedAt != nil
      if !isOver { suppressed.insert(Pair(order: key.order, phone: key.phone)) }
    }
  }
}
