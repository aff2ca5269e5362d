/// Decides what one phone gets now: a pure function of what is known of it and the time.
///
/// Each order gives at most one proposal; the most urgent one becomes the phone's push (rule 3.3), the others follow
/// when it is settled.
public struct DispatchPolicy: Sendable {
  public var settings: PolicySettings

  public init(settings: PolicySettings = PolicySettings()) { self.settings = settings }

  public func decide(_ phone: PhoneView, now: Instant) -> PhoneDecision {
    var decision = PhoneDecision()
    for order in phone.orders {
      let proposal = OrderDecision(order: order, phone: phone, settings: settings, now: now).proposal()
      decision.verdicts[order.id] = proposal.verdict
      if let time = proposal.lookAgainAt { decision.lookAgainAt = min(decision.lookAgainAt ?? time, time) }
      if let plan = proposal.plan, decision.plan.map({ plan.isMoreUrgent(than: $0) }) ?? true { decision.plan = plan }
    }
    return decision
  }
}

/// What one order asks of the phone.
struct Proposal {
  var verdict: Verdict
  var plan: PushPlan?
  var lookAgainAt: Instant?

  init(_ verdict: Verdict, plan: PushPlan? = nil, lookAgainAt: Instant? = nil) {
    self.verdict = verdict
    self.plan = plan
    self.lookAgainAt = lookAgainAt
  }

  static func nothing(_ rule: Rule, lookAgainAt: Instant? = nil) -> Proposal {
    Proposal(rule.verdict(.nothing), lookAgainAt: lookAgainAt)
  }

  static func wait(_ rule: Rule, until time: Instant?) -> Proposal {
    Proposal(rule.verdict(.wait), lookAgainAt: time)
  }

  static func push(_ kind: Verdict.Kind, _ plan: PushPlan, lookAgainAt: Instant? = nil) -> Proposal {
    Proposal(Verdict(kind, rule: plan.rule), plan: plan, lookAgainAt: lookAgainAt)
  }

  /// This proposal, and a look at `time` if that comes first.
  func looking(at time: Instant?) -> Proposal {
    guard let time else { return self }
    var copy = self
    copy.lookAgainAt = min(lookAgainAt ?? time, time)
    return copy
  }

  var isPush: Bool { plan != nil }
}

extension PushPlan {
  /// By lane, then the order whose arrival is nearest; the ids decide between equals so that the result is one.
  func isMoreUrgent(than other: PushPlan) -> Bool {
    if urgency != other.urgency { return urgency < other.urgency }
    if relevance != other.relevance { return relevance > other.relevance }
    return order < other.order
  }
}
