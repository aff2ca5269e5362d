/// The decision for one order on one phone. Reads top to bottom: cards that must go, then the card that there is, then
/// a start, then alerts.
struct OrderDecision {
  let order: OrderView
  let phone: PhoneView
  let settings: PolicySettings
  let now: Instant

  func proposal() -> Proposal {
    if order.withdrawn { return withdrawal() }
    guard let desired = order.desired else { return .nothing(.noSnapshot) }
    if let older = secondCard { return end(older, desired, rule: .secondCard, dismissAt: immediately) }
    return desired.stage.isTerminal ? finished(desired) : running(desired)
  }

  // MARK: cards

  /// Cards that can still be seen, oldest generation first.
  var liveCards: [CardView] {
    order.cards.filter { $0.phase != .ended && $0.phase != .ending && !isOver($0) }
      .sorted { $0.generation < $1.generation }
  }

  func expiry(of card: CardView) -> Instant { card.startedAt.advanced(by: settings.cardLifeSeconds) }
  func isOver(_ card: CardView) -> Bool { expiry(of: card) <= now }
  var immediately: Instant { now.advanced(by: -1) }

  /// The card that carries the order: the newest registered one, else the newest started one.
  var card: CardView? {
    let live = liveCards
    return live.last { $0.phase == .active } ?? live.last
  }

  /// A registered card that a newer registered one has replaced: a renewal, or one that came unasked (rule 4.5, 5.5).
  private var secondCard: CardView? {
    let active = liveCards.filter { $0.phase == .active }
    guard active.count > 1 else { return nil }
    return active.dropLast().first { $0.updateToken != nil }
  }

  // MARK: ends

  private func withdrawal() -> Proposal {
    guard let card = liveCards.first(where: { $0.updateToken != nil }), let desired = order.desired else {
      return .nothing(.withdrawn)
    }
    return end(card, desired, rule: .withdrawn, dismissAt: immediately)
  }

  private func finished(_ desired: Snapshot) -> Proposal {
    let announcement = milestoneAlert(rule: .milestone, isMustNotice: true)
    for card in liveCards where card.phase == .active && card.updateToken != nil {
      guard card.refusedSequence.map({ $0 < desired.sequence }) ?? true else { continue }
      return end(card, desired, rule: .orderFinished, dismissAt: dismissal(desired.stage))
    }
    if announcement.isPush { return announcement.looking(at: endAgain(desired)?.lookAgainAt) }
    if let again = endAgain(desired) { return again }
    if let card = liveCards.last { return unconfirmed(card, desired) }
    return order.cards.isEmpty ? .nothing(.finishedWithoutCard) : .nothing(.cardEnded)
  }

  /// An ended card is told again: at once when the final state was corrected, else as the net under lost ends.
  private func endAgain(_ desired: Snapshot) -> Proposal? {
    guard let card = order.cards.last(where: { $0.phase == .ending && !isOver($0) }), card.updateToken != nil,
      let told = card.told
    else { return nil }
    if told.life == desired.life, told.sequence < desired.sequence, told.stage != desired.stage {
      return end(card, desired, rule: .finalStateChanged, dismissAt: dismissal(desired.stage))
    }
    let due = endRepeatDue(card)
    guard due < expiry(of: card) else { return nil }
    guard due <= now else { return .wait(.endRepeatDue, until: due) }
    return end(card, desired, rule: .endRepeated, dismissAt: dismissal(desired.stage, since: card.endToldAt))
  }

  private func endRepeatDue(_ card: CardView) -> Instant {
    let last = expiry(of: card).advanced(by: -settings.lastEndLeadSeconds)
    let told = card.endToldAt ?? now
    let index = Int(card.endsTold) - 1
    guard settings.endRepeatSeconds.indices.contains(index) else {
      return index == settings.endRepeatSeconds.count ? max(last, told) : .distantFuture
    }
    return min(told.advanced(by: settings.endRepeatSeconds[index]), max(last, told))
  }

  /// When an ended card leaves the Lock Screen; the system keeps none longer than 4 hours.
  private func dismissal(_ stage: Stage, since: Instant? = nil) -> Instant? {
    settings.dismissalSeconds[stage].map { (since ?? now).advanced(by: min(max($0, 0), 4 * 3_600)) }
  }

  func end(_ card: CardView, _ desired: Snapshot, rule: Rule, dismissAt: Instant?) -> Proposal {
    let isRepeat = rule == .endRepeated
    var plan = plan(.end(repeated: isRepeat), rule, desired, generation: card.generation)
    plan.urgency = isRepeat ? .housekeeping : .end
    plan.priority = !isRepeat && priority10Left >= 1 ? 10 : 5
    plan.expiration = max(expiry(of: card), now.advanced(by: 60))
    plan.dismissAt = dismissAt
    if !isRepeat, announcement(of: desired.stage) == .cardAlert { ring(&plan, desired.stage) }
    return .push(isRepeat ? .repeatEnd : .end, plan)
  }

  // MARK: the running order

  private func running(_ desired: Snapshot) -> Proposal {
    let lostAt = silentUntil
    if lostAt <= now { return lost(desired) }
    return runningCard(desired).looking(at: lostAt)
  }

  private func runningCard(_ desired: Snapshot) -> Proposal {
    guard let card else { return withoutCard(desired) }
    guard card.life >= desired.life || card.phase == .active else { return withoutCard(desired) }
    guard card.phase == .active, card.updateToken != nil else { return unconfirmed(card, desired) }
    return content(of: card, desired)
  }

  /// When the platform's silence makes the order lost; a scheduled one is not silent before its lead time.
  var silentUntil: Instant {
    var heard = order.heardAt
    if let schedule = order.schedule { heard = max(heard, schedule.from.advanced(by: -settings.scheduledLeadSeconds)) }
    return heard.advanced(by: settings.lostAfterSeconds)
  }

  private func lost(_ desired: Snapshot) -> Proposal {
    guard let card = liveCards.first(where: { $0.updateToken != nil }) else { return .nothing(.lost) }
    return end(card, desired, rule: .lost, dismissAt: immediately)
  }

  // MARK: plans

  func plan(_ event: PushPlan.Event, _ rule: Rule, _ desired: Snapshot, generation: Int32) -> PushPlan {
    let stale = now.advanced(by: settings.staleSeconds[desired.stage] ?? settings.cardLifeSeconds)
    var plan = PushPlan(
      order: order.id, generation: generation, event: event, rule: rule.rawValue, urgency: .eta, priority: 5,
      expiration: stale, relevance: relevance(desired))
    if !desired.stage.isTerminal { plan.staleAt = stale }
    return plan
  }

  var priority10Left: Double {
    phone.budget.priority10Left(now: now, installation: phone.installation, settings: settings)
  }

  /// The nearer the arrival, the more relevant: 100 at the door, 50 at ten minutes, near 0 when far or unknown.
  private func relevance(_ desired: Snapshot) -> Double {
    guard !desired.stage.isTerminal else { return 0 }
    guard let arrival = desired.arrival else { return 1 }
    return 100 * 600 / (600 + max(arrival.since(now), 0))
  }
}
