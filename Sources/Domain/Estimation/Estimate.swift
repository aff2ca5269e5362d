/// All that an estimate may rest on. Values only; times in business time, none of them after `now`.
public struct EstimateQuestion: Equatable, Sendable {
  public var now: Instant
  public var stage: Stage
  public var stageStarted: Instant
  public var placed: Instant
  public var riderPhase: RiderPhase
  public var isPickup: Bool
  public var rider: RiderID?
  public var storeID: String?
  public var store: Coordinate?
  public var destination: Coordinate?
  /// The current rider's newest believed position, measured after the assignment.
  public var fix: Fix?
  /// Deliveries before this one; 0 when unknown.
  public var stopsBefore: Int
  public var estimatedReadyAt: Instant?
  /// The platform's own estimate.
  public var platformArrival: Instant?
  public var promisedAt: Instant?

  public init(now: Instant, stage: Stage, stageStarted: Instant, placed: Instant) {
    self.now = now
    self.stage = stage
    self.stageStarted = stageStarted
    self.placed = placed
    riderPhase = .none
    isPickup = false
    stopsBefore = 0
  }
}

/// Quantiles of the time from `now` to arrival in seconds, in rising order, all finite and at least 0.
public struct Estimate: Equatable, Sendable {
  public var p10: Double
  public var p50: Double
  public var p60: Double
  public var p90: Double
  /// Rider to destination along the expected way; nil when not known.
  public var remainingMeters: Double?

  public init(p10: Double, p50: Double, p60: Double, p90: Double, remainingMeters: Double? = nil) {
    self.p10 = p10
    self.p50 = p50
    self.p60 = p60
    self.p90 = p90
    self.remainingMeters = remainingMeters
  }
}
