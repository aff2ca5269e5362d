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

  /// The card that carries the order: the newest that can be told, else the newest registered, else the newest started.
  var card: CardView? {
    let live = liveCards
    return live.last(where: \.canBeTold) ?? live.last { $0.phase == .active } ?? live.last
  }

  /// A registered card that a newer registered one has replaced: a renewal, or one that came unasked (rule 4.5, 5.5).
  private var secondCard: CardView? { liveCards.filter(\.canBeTold).dropLast().first }

  // MARK: ends

  private func withdrawal() -> Proposal {
    guard let card = liveCards.first(where: \.canBeTold), let desired = order.desired else {
      return .nothing(.withdrawn)
    }
    return end(card, desired, rule: .withdrawn, dismissAt: immediately)
  }

  private func finished(_ desired: Snapshot) -> Proposal {
    if let card, card.canBeTold, card.refusedSequence.map({ $0 < desired.sequence }) ?? true {
      return end(card, desired, rule: .orderFinished, dismissAt: dismissal(desired.stage, since: now))
    }
    if let card, !card.canBeTold { return unconfirmed(card, desired) }
    let alert = milestoneAlert(rule: .milestone, isMustNotice: true)
    guard let again = endAgain(desired) else {
      return alert.isPush ? alert : .nothing(order.cards.isEmpty ? .finishedWithoutCard : .cardEnded)
    }
    return alert.isPush ? alert.looking(at: again.lookAgainAt) : again
  }

  /// An ended card is told again: at once when the final state was corrected, else as the net under lost ends.
  private func endAgain(_ desired: Snapshot) -> Proposal? {
    guard let card = order.cards.last(where: { $0.phase == .ending && !isOver($0) && $0.updateToken != nil })
    else { return nil }
    if desired.stage.isTerminal, let told = card.told, told.sequence < desired.sequence, told.stage != desired.stage {
      return end(card, desired, rule: .finalStateChanged, dismissAt: dismissal(desired.stage, since: now))
    }
    let due = endRepeatDue(card)
    guard due < expiry(of: card) else { return nil }
    guard due <= now else { return .wait(.endRepeatDue, until: due) }
    let dismissAt = desired.stage.isTerminal ? dismissal(desired.stage, since: order.finishedAt) : immediately
    return end(card, desired, rule: .endRepeated, dismissAt: dismissAt)
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
  private func dismissal(_ stage: Stage, since end: Instant?) -> Instant? {
    settings.dismissalSeconds[stage].map { seconds in
      max((end ?? now).advanced(by: min(max(seconds, 0), Self.dismissalSecondsMax)), now)
    }
  }
  private static let dismissalSecondsMax = 4.0 * 3_600

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
    let lostAt = silentSince.advanced(by: settings.lostAfterSeconds)
    let proposal = lostAt <= now ? lost(desired) : withOrWithoutCard(desired).looking(at: lostAt)
    // The card of an earlier life may have missed its end.
    guard !proposal.isPush, let again = endAgain(desired) else { return proposal }
    return again.isPush ? again.looking(at: proposal.lookAgainAt) : proposal.looking(at: again.lookAgainAt)
  }

  private func withOrWithoutCard(_ desired: Snapshot) -> Proposal {
    guard phone.installation.activitiesEnabled else { return milestoneAlert(rule: .activitiesDisabled) }
    guard let card else { return withoutCard(desired) }
    let proposal = card.canBeTold ? content(of: card, desired) : unconfirmed(card, desired)
    return proposal.looking(at: expiry(of: card))
  }

  /// Since when the platform has said nothing; a scheduled order is not silent before its lead time.
  var silentSince: Instant {
    max(order.heardAt, leadTime ?? .distantPast)
  }

  /// From then on a scheduled order is like any other.
  var leadTime: Instant? { order.schedule?.from.advanced(by: -settings.scheduledLeadSeconds) }

  /// Starts and rings are for news only. Reaching its lead time is news of a scheduled order, too, if the consumer is
  /// near the end of its topics and so would know that the order is over (rule 1.12).
  var isFresh: Bool {
    if now < order.causeFreshUntil { return true }
    guard phone.dataIsLive, let leadTime, leadTime <= now else { return false }
    return now.since(leadTime) < settings.causeSecondsMax
  }

  private func lost(_ desired: Snapshot) -> Proposal {
    guard let card = liveCards.first(where: \.canBeTold) else { return .nothing(.lost) }
    return end(card, desired, rule: .lost, dismissAt: immediately)
  }

  // MARK: plans

  func plan(_ event: PushPlan.Event, _ rule: Rule, _ desired: Snapshot, generation: Int32) -> PushPlan {
    let stale = now.advanced(by: settings.staleSeconds[desired.stage] ?? settings.cardLifeSeconds)
    var plan = PushPlan(
      order: order.id, generation: generation, event: event, rule: rule.rawValue, urgency: .eta, priority: 5,
      expiration: stale, relevance: desired.relevance(now: now))
    if !desired.stage.isTerminal { plan.staleAt = stale }
    return plan
  }

  var priority10Left: Double {
    phone.budget.priority10Left(now: now, installation: phone.installation, settings: settings)
  }
}

extension CardView {
  /// Registered, with a token that takes updates and its end.
  var canBeTold: Bool { phase == .active && updateToken != nil }

  /// The life that the card shows now: it lives on through a reopening that came before its end.
  var shownLife: Int32 { max(life, told?.life ?? life) }
}
