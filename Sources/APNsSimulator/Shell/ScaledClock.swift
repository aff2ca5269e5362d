import Glibc

/// Real time and the card time that runs `factor` times as fast since `origin`.
public struct ScaledClock: Sendable {
  public var origin: Moment
  public var factor: Double

  public init(origin: Moment = Moment(micros: 0), factor: Double = 1) {
    self.origin = origin
    self.factor = factor
  }

  /// `ORIGIN,FACTOR`, both decimal numbers, the factor above 0 and at most 100,000; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ",")
    guard parts.count == 2, let origin = Double(parts[0]), let factor = Double(parts[1]), origin.isFinite,
      origin >= 0, origin < 1e11, factor > 0, factor <= 100_000
    else { return nil }
    self.init(origin: Moment(micros: Int64(origin * 1_000_000)), factor: factor)
  }

  public static var real: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(micros: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  public func card(_ real: Moment) -> Moment {
    factor == 1 ? real : origin + Span.seconds((real - origin).inSeconds * factor)
  }

  /// Real seconds until card time reaches `moment`.
  public func secondsUntil(_ moment: Moment, from real: Moment) -> Double {
    max(0, (moment - card(real)).inSeconds / factor)
  }
}
