/// What to do for one phone now: at most one push (rule 3.3), and when to look again.
public struct PhoneDecision: Equatable, Sendable {
  public var plan: PushPlan?
  /// When the clock alone may change the answer; nil when only news can.
  public var lookAgainAt: Instant?
  /// For each order the rule that fired, for `explain` and metrics.
  public var verdicts: [OrderID: Verdict]

  public init(plan: PushPlan? = nil, lookAgainAt: Instant? = nil, verdicts: [OrderID: Verdict] = [:]) {
    self.plan = plan
    self.lookAgainAt = lookAgainAt
    self.verdicts = verdicts
  }
}

/// The outcome for one order and the rule that gave it.
public struct Verdict: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case update, end, repeatEnd, start, alert, wakeApp, wait, nothing, unreachable
  }
  public var kind: Kind
  /// A name from the policy's closed list, fit for a metric label.
  public var rule: String

  public init(_ kind: Kind, rule: String) {
    self.kind = kind
    self.rule = rule
  }
}

/// One push, decided: everything that is not bytes.
public struct PushPlan: Equatable, Sendable {
  public enum Event: Equatable, Sendable {
    case start
    case update
    case end(repeated: Bool)
    /// An ordinary notification to the device token.
    case alert
    /// A background push that asks the app to report.
    case wakeApp
  }
  /// Lanes of the queue, most urgent first.
  public enum Urgency: UInt8, Comparable, CaseIterable, Sendable {
    case end, stageChange, eta, housekeeping

    public static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
  }

  public var order: OrderID
  /// The card's generation; for `alert` and `wakeApp` the newest one, or 0 without a card.
  public var generation: Int32
  public var event: Event
  public var rule: String
  public var urgency: Urgency
  /// 5 or 10.
  public var priority: Int
  /// The milestone that this push rings for; nil when silent. At most once per life and phone (rule 5.3).
  public var ring: Stage?
  /// Alert texts carry sound.
  public var sounds: Bool
  public var expiration: Instant
  public var staleAt: Instant?
  /// Only on ends: when the ended card leaves the Lock Screen; nil for the system's default of 4 hours.
  public var dismissAt: Instant?
  public var relevance: Double
  /// Only on starts.
  public var attributesType: String?

  public init(
    order: OrderID, generation: Int32, event: Event, rule: String, urgency: Urgency, priority: Int,
    expiration: Instant, ring: Stage? = nil, sounds: Bool = false, staleAt: Instant? = nil,
    dismissAt: Instant? = nil, relevance: Double = 50, attributesType: String? = nil
  ) {
    self.order = order
    self.generation = generation
    self.event = event
    self.rule = rule
    self.urgency = urgency
    self.priority = priority
    self.expiration = expiration
    self.ring = ring
    self.sounds = sounds
    self.staleAt = staleAt
    self.dismissAt = dismissAt
    self.relevance = relevance
    self.attributesType = attributesType
  }
}
