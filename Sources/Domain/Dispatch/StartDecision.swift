/// Starts by push, and the card that a start has not confirmed yet.
extension OrderDecision {
  /// Cards that count against the phone's limit: those that can be seen or may appear.
  var cardsOnPhone: Int {
    phone.orders.reduce(0) { sum, order in
      sum + order.cards.filter { $0.phase != .ended && $0.phase != .ending && !isOver($0) }.count
    }
  }

  private var nextCardExpiry: Instant? {
    phone.orders.flatMap(\.cards).filter { $0.phase != .ended && $0.phase != .ending }
      .map { expiry(of: $0) }.filter { $0 > now }.min()
  }

  /// No card of this life can be told anything: one is started, or milestones go by alert.
  func withoutCard(_ desired: Snapshot) -> Proposal {
    if let obstacle = lastingObstacle(desired) { return milestoneAlert(rule: obstacle) }
    if let wait = startWait(desired) { return wait }
    guard isFresh else { return .nothing(.oldCause) }
    guard cardsOnPhone < settings.cardsMax else { return milestoneAlert(rule: .cardLimit).looking(at: nextCardExpiry) }
    let allowed = phone.budget.startAllowedAt(now: now, isRenewal: false, settings: settings)
    guard allowed <= now else { return milestoneAlert(rule: .startBudget).looking(at: allowed) }
    return start(desired, rule: .noCard)
  }

  /// What only news can change.
  private func lastingObstacle(_ desired: Snapshot) -> Rule? {
    let installation = phone.installation
    if order.suppressed { return .suppressed }
    if order.cards.contains(where: { $0.shownLife >= desired.life }) { return .cardGone }
    if !installation.activitiesEnabled { return .activitiesDisabled }
    if let system = installation.osVersion, system < OSVersion(major: 17, minor: 2) { return .systemTooOld }
    if installation.startTokens[attributesType] == nil { return .noStartToken }
    switch settings.phones {
    case .all: return nil
    case .placing: return order.placedByThisPhone ? nil : .otherPhone
    case .recent:
      let isRecent = installation.seenAt.map { now.since($0) <= settings.recentSeconds } ?? false
      return isRecent ? nil : .otherPhone
    }
  }

  /// What the clock will change (rule 4.1, scheduled orders).
  private func startWait(_ desired: Snapshot) -> Proposal? {
    if let leadTime, now < leadTime, desired.stage < .pickedUp { return .wait(.scheduled, until: leadTime) }
    if desired.stage < settings.startStage { return .wait(.beforeStartStage, until: nil) }
    if let until = order.intentUntil, now < until { return .wait(.startIntent, until: until) }
    let hold = order.placedByThisPhone ? settings.holdOffPlacingSeconds : settings.holdOffOthersSeconds
    let until = order.knownSince.advanced(by: hold)
    return now < until ? .wait(.holdOff, until: until) : nil
  }

  func canStart(isRenewal: Bool) -> Bool {
    phone.installation.activitiesEnabled && phone.installation.startTokens[attributesType] != nil && !order.suppressed
      && phone.budget.startAllowedAt(now: now, isRenewal: isRenewal, settings: settings) <= now
  }

  var attributesType: String { settings.attributesType(for: order.kind) }

  func start(_ desired: Snapshot, rule: Rule) -> Proposal {
    let newest = order.cards.map(\.generation).max() ?? 0
    var plan = plan(.start, rule, desired, generation: newest == .max ? newest : newest + 1)
    plan.urgency = .stageChange
    plan.priority = 10
    plan.expiration = now.advanced(by: settings.startExpirationSeconds)
    plan.attributesType = attributesType
    if !phone.installation.pushToStartProven {
      plan.staleAt = now.advanced(by: settings.unprovenStaleSeconds)
    }
    if rule == .noCard { ring(&plan, desired.stage) }
    return .push(.start, plan)
  }

  /// A start was accepted, or is in doubt, and no update token has come: the newest state is held for it, milestones go
  /// by alert after a while, and the app is asked once to report. Never another start (rule 4.4).
  func unconfirmed(_ card: CardView, _ desired: Snapshot) -> Proposal {
    let due = card.startedAt.advanced(by: settings.unconfirmedSeconds)
    let rule: Rule = card.phase == .active ? .awaitingUpdateToken : .awaitingToken
    guard due <= now else { return .wait(rule, until: due) }
    if card.wokenAt == nil, phone.installation.deviceToken != nil, !isOver(card) {
      var plan = plan(.wakeApp, .unconfirmed, desired, generation: card.generation)
      plan.urgency = .housekeeping
      plan.expiration = now.advanced(by: settings.alertExpirationSeconds)
      plan.staleAt = nil
      return .push(.wakeApp, plan)
    }
    let alert = milestoneAlert(rule: .unconfirmed)
    return alert.isPush ? alert : .wait(rule, until: nil)
  }
}
