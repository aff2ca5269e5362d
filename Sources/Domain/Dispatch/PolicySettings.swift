/// Every number and choice of the dispatch policy, with its default, in one place (docs/delivery-semantics.md 3 to 5).
public struct PolicySettings: Equatable, Sendable {
  public enum Announcement: String, Sendable, CaseIterable {
    /// The card's own push carries the alert.
    case cardAlert
    /// An ordinary notification beside a silent card update.
    case ordinaryAlert
    case silent
  }
  public enum Phones: String, Sendable, CaseIterable {
    case all
    /// Only the phone that placed the order.
    case placing
    /// Only phones that reported within `recentSeconds`.
    case recent
  }

  // MARK: starts
  /// From this stage on a phone without a card gets one.
  public var startStage = Stage.placed
  public var phones = Phones.all
  public var recentSeconds = 30.0 * 86_400
  /// Waits for the app's own card, seconds (rule 4.1).
  public var holdOffPlacingSeconds = 20.0
  public var holdOffOthersSeconds = 5.0
  /// A scheduled order gets no card earlier than this before its window begins, seconds.
  public var scheduledLeadSeconds = 3_600.0
  public var startsPerHourMax = 3
  public var startsPerDayMax = 8
  /// Of the starts of a day, kept for renewals.
  public var startsKeptForRenewal = 1
  public var cardsMax = 3
  /// Starts and rings need a cause younger than this (rule 1.12).
  public var causeSecondsMax = 600.0
  public var startExpirationSeconds = 600.0
  public var attributesType = "DeliveryAttributes"
  /// Attributes type by order kind, where it is another one.
  public var attributesTypeByKind: [String: String] = [:]
  /// Accepted without a token for so long: milestones go by alert, and the app is asked to report (rule 4.4).
  public var unconfirmedSeconds = 45.0
  public var unprovenStaleSeconds = 300.0

  // MARK: content
  /// Between two updates of one card that are no stage change, seconds.
  public var updateIntervalSeconds = 15.0
  /// Between any two pushes of content to one card, seconds.
  public var contentIntervalSeconds = 1.0
  public var priority10PerHour = 10.0
  public var priority10PerHourFrequent = 20.0
  /// Of the bucket, left for stages that matter more when this stage begins.
  public var priority10Kept: [Stage: Int] = [.placed: 3, .accepted: 3, .preparing: 3, .ready: 2, .pickedUp: 1]
  public var staleSeconds: [Stage: Double] = [
    .placed: 1_800, .accepted: 1_800, .preparing: 1_800, .ready: 1_800, .pickedUp: 900, .delivering: 900,
    .arriving: 600, .returning: 1_800,
  ]
  /// No heartbeat when the platform has said nothing of the order for longer (rule 5.6).
  public var heartbeatSilenceSecondsMax = 3_600.0
  /// The app reported an older content so long after a newer one was accepted: said again (rule 5.9).
  public var repairSeconds = 60.0

  // MARK: ends
  /// How long an ended card stays on the Lock Screen, seconds; at most 4 hours count.
  public var dismissalSeconds: [Stage: Double] = [.delivered: 900, .cancelled: 3_600, .failed: 3_600, .returned: 900]
  /// Waits before each repetition of an accepted end, seconds: 1, 10 and 60 minutes after the first (rule 3.6).
  public var endRepeatSeconds = [60.0, 540, 3_000]
  public var cardLifeSeconds = 8.0 * 3_600
  /// Before the end of a card's 8 hours it is renewed, or ended and followed by alerts, seconds.
  public var renewalLeadSeconds = 1_800.0
  public var lastEndLeadSeconds = 120.0
  /// Nothing said of a running order for so long: lost (rule 5.7).
  public var lostAfterSeconds = 3.0 * 3_600

  // MARK: alerts
  public var announcements: [Stage: Announcement] = [
    .arriving: .ordinaryAlert, .cancelled: .ordinaryAlert, .failed: .ordinaryAlert,
  ]
  /// Announced by alert on phones that have no card.
  public var milestones: Set<Stage> = [.accepted, .pickedUp, .arriving, .delivered, .cancelled, .failed, .returned]
  public var alertExpirationSeconds = 900.0
  /// Local seconds of the day between which alerts make no sound, must-notice ones apart; may wrap midnight.
  public var quietHours: (from: Int, to: Int)? { quietFrom.flatMap { from in quietTo.map { (from, $0) } } }
  public var quietFrom: Int?
  public var quietTo: Int?

  public init() {}

  public func attributesType(for kind: String?) -> String {
    kind.flatMap { attributesTypeByKind[$0] } ?? attributesType
  }
}
