/// Why a position was not believed. The words are fit for a metric label.
public enum FixRefusal: String, Sendable, CaseIterable {
  /// Exactly 0, 0: what a phone without a position sends.
  case zero
  /// Measured after now, beyond the clocks' tolerance (rule 1.4).
  case future
  /// Not newer than the one held, or too old to matter.
  case stale
  case inaccurate
  /// Latitude and longitude changed places.
  case swapped
  /// Too far from the last one for the time between.
  case jump
}

public enum FixVerdict: Equatable, Sendable {
  case accepted
  case refused(FixRefusal)
}

/// The limits of belief in positions.
enum PositionLimits {
  static let futureSeconds = 5.0
  static let ageSecondsMax = 900.0
  static let accuracyMetersMax = 200.0
  /// 200 km/h: nothing that delivers goes faster.
  static let speedMetersPerSecondMax = 55.0
  /// Shorter steps are noise, whatever the time between.
  static let stepMetersFree = 300.0
  /// So many positions in a row that agree with each other win over the one held.
  static let agreeingFixes = 3
}

extension RiderState {
  /// Takes a position in if it can be believed. One outlier is ignored; a place that `agreeingFixes` positions in a
  /// row agree on is taken, so that the filter never locks the true place out.
  public mutating func observe(_ fix: Fix, now: Instant) -> FixVerdict {
    if let refusal = plainRefusal(of: fix, now: now) { return .refused(refusal) }
    guard let last = lastFix else { return accept(fix) }
    guard !fix.isReachable(from: last) else { return accept(fix) }
    if let swapped = fix.swapped, swapped.isReachable(from: last) { return .refused(.swapped) }
    let agreeing = suspect.map { fix.isReachable(from: $0.fix) && fix.time > $0.fix.time ? $0.agreeing + 1 : 1 } ?? 1
    guard agreeing < PositionLimits.agreeingFixes else { return accept(fix) }
    suspect = Suspect(fix: fix, agreeing: agreeing)
    return .refused(.jump)
  }

  private func plainRefusal(of fix: Fix, now: Instant) -> FixRefusal? {
    if fix.coordinate.latitude == 0, fix.coordinate.longitude == 0 { return .zero }
    if fix.time.since(now) > PositionLimits.futureSeconds { return .future }
    if now.since(fix.time) > PositionLimits.ageSecondsMax { return .stale }
    if let last = lastFix, fix.time <= last.time { return .stale }
    if let accuracy = fix.accuracyMeters, !(0...PositionLimits.accuracyMetersMax).contains(accuracy) {
      return .inaccurate
    }
    return nil
  }

  private mutating func accept(_ fix: Fix) -> FixVerdict {
    lastFix = fix
    suspect = nil
    return .accepted
  }
}

extension Fix {
  func isReachable(from earlier: Fix) -> Bool {
    let seconds = max(time.since(earlier.time), 0)
    let meters = coordinate.meters(to: earlier.coordinate)
    return meters <= max(PositionLimits.stepMetersFree, seconds * PositionLimits.speedMetersPerSecondMax)
  }

  /// The same fix with latitude and longitude exchanged, where that is a position.
  var swapped: Fix? {
    Coordinate(latitude: coordinate.longitude, longitude: coordinate.latitude).map {
      Fix(coordinate: $0, time: time, accuracyMeters: accuracyMeters)
    }
  }
}
