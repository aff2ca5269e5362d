/// All that the dispatch policy knows of one phone at the moment of decision: values only, read fresh for each one.
public struct PhoneView: Equatable, Sendable {
  public var installation: Installation
  public var budget: PhoneBudget
  /// Orders of this phone that still matter: running, or with a card that is not known to be gone.
  public var orders: [OrderView]
  /// The events behind this view are recent: the consumer keeps up (rule 5.6).
  public var dataIsLive = true

  public init(installation: Installation, budget: PhoneBudget, orders: [OrderView]) {
    self.installation = installation
    self.budget = budget
    self.orders = orders
  }
}

/// What the app registered about itself.
public struct Installation: Equatable, Sendable {
  public enum Authorization: String, Sendable, CaseIterable { case authorized, provisional, denied, notDetermined }

  public let id: InstallationID
  public var user: UserID?
  public var bundleID: String
  public var environment: PushEnvironment
  /// Major and minor of iOS, such as 18.1; nil when not reported.
  public var osVersion: OSVersion?
  public var appVersion: String?
  public var locale: String?
  public var activitiesEnabled: Bool
  public var frequentPushesEnabled: Bool
  public var notifications: Authorization
  public var deviceToken: PushToken?
  /// By attributes type.
  public var startTokens: [String: PushToken]
  /// A push start was once confirmed on this phone (docs/delivery-semantics.md 4.4).
  public var pushToStartProven: Bool
  public var unconfirmedStartsInRow: Int
  /// Newest report of the app, business time.
  public var seenAt: Instant?
  /// Local time minus UTC on this phone, for quiet hours.
  public var utcOffsetSeconds = 0

  public init(id: InstallationID, bundleID: String, environment: PushEnvironment) {
    self.id = id
    self.bundleID = bundleID
    self.environment = environment
    activitiesEnabled = true
    frequentPushesEnabled = false
    notifications = .notDetermined
    startTokens = [:]
    pushToStartProven = false
    unconfirmedStartsInRow = 0
  }
}

public struct OSVersion: Hashable, Comparable, Sendable {
  public var major: Int
  public var minor: Int

  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `18`, `18.1` or `18.1.2`; nil on anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let major = Int(parts[0]), (0...999).contains(major) else { return nil }
    var minor = 0
    if parts.count > 1 {
      guard let given = Int(parts[1]), (0...999).contains(given) else { return nil }
      minor = given
    }
    self.init(major: major, minor: minor)
  }

  public static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

/// Spent and left on one phone (docs/delivery-semantics.md 3.3, 4.6). Debited when a push is reserved.
public struct PhoneBudget: Equatable, Sendable {
  /// Business times of this phone's push starts within the last 24 hours, oldest first.
  public var starts: [Instant]
  /// Priority-10 pushes left in the bucket at `bucketAt`.
  public var bucket: Double
  public var bucketAt: Instant

  public init(starts: [Instant] = [], bucket: Double = 10, bucketAt: Instant = .distantPast) {
    self.starts = starts
    self.bucket = bucket
    self.bucketAt = bucketAt
  }
}

/// One order as one phone should see it.
public struct OrderView: Equatable, Sendable {
  public let id: OrderID
  /// Version of the order row that the decision rests on; a reservation fails when it has moved on.
  public var version: Int64
  public var app: String?
  public var kind: String?
  /// What this phone should show. nil for an order known only by a registration (rule 1.6).
  public var desired: Snapshot?
  /// Starts and rings are allowed until then: cause time + 10 min, or the distant past when the consumer lagged
  /// (rule 1.12).
  public var causeFreshUntil: Instant
  /// When this service first knew the order or, if later, the phone: hold-offs count from here (rule 4.1).
  public var knownSince: Instant
  public var placedByThisPhone: Bool
  /// An open start intent of the app on this phone ends then (rule 4.1).
  public var intentUntil: Instant?
  public var schedule: ScheduleWindow?
  public var finishedAt: Instant?
  /// Newest business time at which the platform said anything of this order: silence counts from here (rules 5.6, 5.7).
  public var heardAt: Instant
  /// The phone no longer belongs to the order's user: its cards are ended at once (rule 5.8).
  public var withdrawn: Bool
  /// No start on this phone until the app itself registers a card (rule 5.1).
  public var suppressed: Bool
  public var cards: [CardView]
  /// Milestones already rung on this phone in this life (rule 5.3).
  public var rung: Set<Stage>

  public init(
    id: OrderID, version: Int64, desired: Snapshot?, causeFreshUntil: Instant, knownSince: Instant,
    placedByThisPhone: Bool = false
  ) {
    self.id = id
    self.version = version
    self.desired = desired
    self.causeFreshUntil = causeFreshUntil
    self.knownSince = knownSince
    self.placedByThisPhone = placedByThisPhone
    heardAt = knownSince
    withdrawn = false
    suppressed = false
    cards = []
    rung = []
  }
}

/// One Live Activity of one order on one phone (docs/delivery-semantics.md 3.1).
public struct CardView: Equatable, Sendable {
  public enum Phase: String, Sendable, CaseIterable {
    /// Start claimed, bytes not known to have left.
    case reserved
    /// Start accepted or in doubt, no update token yet (rule 4.4).
    case unconfirmed
    /// The app registered it.
    case active
    /// An end was accepted; it is repeated until known (rule 3.6).
    case ending
    /// Gone: the app said so, the token died, or 8 hours have passed.
    case ended
  }
  public enum Starter: String, Sendable { case app, push }

  public let generation: Int32
  public var phase: Phase
  public var startedBy: Starter
  public var startedAt: Instant
  public var attributesType: String
  public var updateToken: PushToken?
  /// Attempt number of the newest reservation; 0 when there was none.
  public var attempt: Int64
  /// A push is in flight (or was when a process died) until then, in database time.
  public var reservedUntil: Instant?
  /// Newest accepted by APNs.
  public var told: Told?
  /// Newest sequence that APNs refused for good: not sent again, a newer one is.
  public var refusedSequence: Int64?
  /// Newest sequence that the app reported as displayed.
  public var known: Int64?
  /// When it did.
  public var knownAt: Instant?
  /// Life of the order that this card belongs to.
  public var life: Int32
  /// When the app was asked by a background push to report this card (rule 4.4).
  public var wokenAt: Instant?
  /// Ends accepted so far, and when the newest was.
  public var endsTold: Int32
  public var endToldAt: Instant?

  public struct Told: Equatable, Sendable {
    public var sequence: Int64
    public var life: Int32
    public var stage: Stage
    public var arrival: Instant?
    public var staleAt: Instant?
    public var at: Instant

    public init(sequence: Int64, life: Int32, stage: Stage, arrival: Instant?, staleAt: Instant?, at: Instant) {
      self.sequence = sequence
      self.life = life
      self.stage = stage
      self.arrival = arrival
      self.staleAt = staleAt
      self.at = at
    }
  }

  public init(generation: Int32, phase: Phase, startedBy: Starter, startedAt: Instant, attributesType: String) {
    self.generation = generation
    self.phase = phase
    self.startedBy = startedBy
    self.startedAt = startedAt
    self.attributesType = attributesType
    attempt = 0
    life = 0
    endsTold = 0
  }
}
