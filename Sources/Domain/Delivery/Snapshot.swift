/// All that a phone should show of one order at one moment: complete, never a delta
/// (docs/delivery-semantics.md 1.3, 3.1).
///
/// Language, shape and app version come in when the payload is built; this is the same for every phone.
public struct Snapshot: Equatable, Sendable {
  /// Strictly increasing per order with every visible change: max(previous + 1, now in milliseconds).
  public var sequence: Int64
  /// 0, plus 1 per reopening. Latch and progress begin anew with each life.
  public var life: Int32
  public var stage: Stage
  public var stageStarted: Instant
  public var computed: Instant
  public var riderPhase: RiderPhase
  public var stopsBefore: Int?
  /// Best estimate of the arrival; nil when unknown or when there is none (terminal stages).
  public var arrival: Instant?
  /// 10th and 90th percentile of the arrival.
  public var earliest: Instant?
  public var latest: Instant?
  /// Rider to destination along the expected way.
  public var remainingMeters: Int?
  /// 0...1, never falls within one life.
  public var progress: Double
  /// As the policy allows: full, first name or nil.
  public var riderName: String?
  public var isDelayed: Bool
  public var storeName: String?
  /// When the card's order began (attributes `startedAtTimestamp`): the same for every card of one life.
  public var placed: Instant

  public init(
    sequence: Int64, life: Int32, stage: Stage, stageStarted: Instant, computed: Instant, riderPhase: RiderPhase,
    stopsBefore: Int? = nil, arrival: Instant? = nil, earliest: Instant? = nil, latest: Instant? = nil,
    remainingMeters: Int? = nil, progress: Double, riderName: String? = nil, isDelayed: Bool = false,
    storeName: String? = nil, placed: Instant
  ) {
    self.sequence = sequence
    self.life = life
    self.stage = stage
    self.stageStarted = stageStarted
    self.computed = computed
    self.riderPhase = riderPhase
    self.stopsBefore = stopsBefore
    self.arrival = arrival
    self.earliest = earliest
    self.latest = latest
    self.remainingMeters = remainingMeters
    self.progress = progress
    self.riderName = riderName
    self.isDelayed = isDelayed
    self.storeName = storeName
    self.placed = placed
  }
}

extension Snapshot {
  /// The nearer the arrival, the more relevant: 100 at the door, 50 at ten minutes, near 0 when far or unknown.
  public func relevance(now: Instant) -> Double {
    guard !stage.isTerminal else { return 0 }
    guard let arrival else { return 1 }
    return 100 * 600 / (600 + max(arrival.since(now), 0))
  }
}
