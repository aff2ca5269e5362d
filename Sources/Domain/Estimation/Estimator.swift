/// Arrival estimates from stage medians given the time already elapsed, and distance over pace for the last leg.
public struct Estimator: Sendable {
  /// Each wait before the goods are under way, seconds.
  private static let waitSeconds = 300.0
  /// The last leg: hand-over and parking, then the way, seconds and seconds per metre.
  private static let legSeconds = 240.0
  private static let paceSecondsPerMeter = 0.15
  private static let handOverSeconds = 60.0
  private static let stopSeconds = 240.0
  /// Streets are longer than the straight line.
  private static let detour = 1.3
  /// The last leg when the places are not known, metres of way.
  private static let unknownLegMeters = 4_000.0
  private static let fixAgeSecondsMax = 90.0

  public init() {}

  /// nil when there is no arrival to estimate: the order is finished, or its goods go back.
  public func estimate(_ question: EstimateQuestion) -> Estimate? {
    guard !question.stage.isTerminal, question.stage != .returning else { return nil }
    let waits = waitsAhead(question)
    let leg = question.isPickup ? (seconds: 0, meters: nil) : lastLeg(question)
    let middle = max(waits + leg.seconds + Double(max(question.stopsBefore, 0)) * Self.stopSeconds, 0)
    return Estimate(
      p10: middle * 0.7, p50: middle, p60: middle * 1.1, p90: middle * 1.6, remainingMeters: leg.meters)
  }

  /// The current wait given its age, and the waits after it.
  private func waitsAhead(_ question: EstimateQuestion) -> Double {
    let later: Double
    switch question.stage {
    case .placed: later = 2
    case .accepted, .preparing: later = 1
    case .ready: later = 0
    default: return 0
    }
    let current = Self.remaining(of: Self.waitSeconds, after: question.now.since(question.stageStarted))
    let ready = question.estimatedReadyAt.map { max($0.since(question.now), 0) } ?? 0
    return max(current + later * Self.waitSeconds, ready)
  }

  /// What is left of a stage that usually takes `median`, having lasted `elapsed` already: it does not run out, the
  /// longer it lasts the longer it may go on.
  private static func remaining(of median: Double, after elapsed: Double) -> Double {
    let elapsed = max(elapsed, 0)
    return max(median - elapsed, 0.35 * elapsed)
  }

  private func lastLeg(_ question: EstimateQuestion) -> (seconds: Double, meters: Double?) {
    let isUnderWay = question.stage >= .pickedUp
    if isUnderWay, let fix = question.fix, let destination = question.destination {
      let meters = fix.coordinate.meters(to: destination) * Self.detour
      let driven = min(max(question.now.since(fix.time), 0), Self.fixAgeSecondsMax)
      let seconds = max(meters * Self.paceSecondsPerMeter - driven, 0) + Self.handOverSeconds
      return (seconds, meters)
    }
    var meters = Self.unknownLegMeters
    if let store = question.store, let destination = question.destination {
      meters = store.meters(to: destination) * Self.detour
    }
    let whole = Self.legSeconds + meters * Self.paceSecondsPerMeter
    let elapsed = isUnderWay ? question.now.since(question.stageStarted) : 0
    return (Self.remaining(of: whole, after: elapsed), nil)
  }
}
