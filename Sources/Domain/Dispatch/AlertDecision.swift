/// Ordinary notifications, and the ring of a milestone: at most once per life and phone (rule 5.3).
extension OrderDecision {
  func announcement(of stage: Stage) -> PolicySettings.Announcement { settings.announcements[stage] ?? .silent }

  /// Marks the push as ringing for the stage where that is still due.
  func ring(_ plan: inout PushPlan, _ stage: Stage) {
    guard isFresh, !order.rung.contains(stage) else { return }
    plan.ring = stage
    plan.sounds = isMustNotice(stage) || !isQuietNow
  }

  private func isMustNotice(_ stage: Stage) -> Bool { announcement(of: stage) == .ordinaryAlert }

  private var isQuietNow: Bool {
    guard let quiet = settings.quietHours else { return false }
    let (local, overflow) = now.seconds.addingReportingOverflow(Int64(phone.installation.utcOffsetSeconds))
    guard !overflow else { return false }
    let second = Int(((local % 86_400) + 86_400) % 86_400)
    return quiet.from <= quiet.to
      ? (quiet.from..<quiet.to).contains(second) : second >= quiet.from || second < quiet.to
  }

  /// An alert for the stage that the order has reached, if it is one to announce and was not rung yet. Beside a card
  /// only what must be noticed is announced so; without one every milestone.
  func milestoneAlert(rule: Rule, isMustNotice onlyMustNotice: Bool = false) -> Proposal {
    guard let desired = order.desired else { return .nothing(.noSnapshot) }
    let isDue =
      onlyMustNotice && hasCard ? isMustNotice(desired.stage) : settings.milestones.contains(desired.stage)
    guard isDue else { return .nothing(rule == .milestone ? .noMilestone : rule) }
    guard !order.rung.contains(desired.stage) else { return .nothing(.alreadyRung) }
    guard isFresh else { return .nothing(.oldCause) }
    let installation = phone.installation
    guard installation.notifications != .denied else {
      return Proposal(Rule.notificationsDenied.verdict(.unreachable))
    }
    guard installation.deviceToken != nil else { return Proposal(Rule.noDeviceToken.verdict(.unreachable)) }
    let generation = order.cards.map(\.generation).max() ?? 0
    var plan = plan(.alert, rule, desired, generation: generation)
    plan.urgency = .stageChange
    plan.priority = 10
    plan.expiration = now.advanced(by: settings.alertExpirationSeconds)
    plan.staleAt = nil
    ring(&plan, desired.stage)
    return .push(.alert, plan)
  }

  /// A registered card shows the order, or showed its end.
  private var hasCard: Bool {
    guard phone.installation.activitiesEnabled else { return false }
    return order.cards.contains { card in
      switch card.phase {
      case .active, .ending: true
      case .ended: card.told.map { $0.stage.isTerminal && $0.life == order.desired?.life } ?? false
      case .reserved, .unconfirmed: false
      }
    }
  }
}
