/// Updates of a registered card.
extension OrderDecision {
  func content(of card: CardView, _ desired: Snapshot) -> Proposal {
    let renewal = renewal(of: card, desired)
    if renewal.isPush { return renewal }
    let update = update(of: card, desired)
    guard !update.isPush else { return update.looking(at: renewal.lookAgainAt) }
    let alert = milestoneAlert(rule: .milestone, isMustNotice: true)
    return (alert.isPush ? alert.looking(at: update.lookAgainAt) : update).looking(at: renewal.lookAgainAt)
  }

  private func update(of card: CardView, _ desired: Snapshot) -> Proposal {
    if let refused = card.refusedSequence, desired.sequence <= refused { return .nothing(.refusedByAPNs) }
    guard let told = card.told else {
      if let known = card.known, known >= desired.sequence {
        return heartbeat(card, desired, since: card.knownAt ?? now)
      }
      return update(card, desired, rule: .firstContent, isUrgent: true)
    }
    if told.life == desired.life, told.sequence >= desired.sequence { return repairOrHeartbeat(card, told, desired) }
    let isStageChange = told.stage != desired.stage || told.life != desired.life
    let interval = isStageChange ? settings.contentIntervalSeconds : settings.updateIntervalSeconds
    let due = told.at.advanced(by: interval)
    guard due <= now else { return .wait(.updateInterval, until: due) }
    return update(card, desired, rule: isStageChange ? .stageChanged : .contentChanged, isUrgent: isStageChange)
  }

  private func repairOrHeartbeat(_ card: CardView, _ told: CardView.Told, _ desired: Snapshot) -> Proposal {
    if let known = card.known, known < told.sequence, let knownAt = card.knownAt,
      knownAt.since(told.at) > settings.repairSeconds
    {
      return update(card, desired, rule: .repair, isUrgent: false)
    }
    return heartbeat(card, desired, since: told.at)
  }

  /// Keeps a true card from looking stale, at half its stale window; a card whose data is dead may look stale.
  private func heartbeat(_ card: CardView, _ desired: Snapshot, since: Instant) -> Proposal {
    guard let window = settings.staleSeconds[desired.stage] else { return .nothing(.upToDate) }
    let due = since.advanced(by: window / 2)
    guard due <= now else { return .nothing(.upToDate, lookAgainAt: due) }
    let isHeard = now.since(silentSince) <= settings.heartbeatSilenceSecondsMax
    guard phone.dataIsLive, isHeard else { return .nothing(.upToDate) }
    return update(card, desired, rule: .heartbeat, isUrgent: false)
  }

  private func update(_ card: CardView, _ desired: Snapshot, rule: Rule, isUrgent: Bool) -> Proposal {
    var plan = plan(.update, rule, desired, generation: card.generation)
    if isUrgent {
      plan.urgency = .stageChange
      // One of the bucket is kept for each card's end, and some of it for the stages that matter more.
      let kept = cardsOnPhone + (settings.priority10Kept[desired.stage] ?? 0)
      plan.priority = priority10Left >= Double(1 + kept) ? 10 : 5
      if announcement(of: desired.stage) == .cardAlert { ring(&plan, desired.stage) }
    } else if rule == .heartbeat || rule == .repair {
      plan.urgency = .housekeeping
    }
    return .push(.update, plan)
  }

  /// Before the system ends a card after 8 hours: a new one where push starts are proven to work, else an end in good
  /// time, and alerts from then on (rule 5.5).
  private func renewal(of card: CardView, _ desired: Snapshot) -> Proposal {
    let due = expiry(of: card).advanced(by: -settings.renewalLeadSeconds)
    guard due <= now else { return .wait(.renewal, until: due) }
    let hasSuccessor = order.cards.contains { $0.generation > card.generation && $0.phase != .ended }
    if !hasSuccessor, phone.installation.pushToStartProven, canStart(isRenewal: true) {
      return start(desired, rule: .renewal)
    }
    let last = expiry(of: card).advanced(by: -settings.lastEndLeadSeconds)
    guard last <= now else { return .wait(.renewal, until: last) }
    return end(card, desired, rule: .cardExpiring, dismissAt: immediately)
  }
}
