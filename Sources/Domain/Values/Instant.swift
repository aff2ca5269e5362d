/// A point in business time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Arithmetic saturates: a hostile time in an event must never trap the process.
public struct Instant: Hashable, Comparable, Sendable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    microseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  public init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000)
    microseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  public static let distantPast = Instant(microseconds: .min)
  public static let distantFuture = Instant(microseconds: .max)

  /// Whole seconds, rounded down (what `aps.timestamp` and the `...Timestamp` fields carry).
  public var seconds: Int64 { floorDivide(1_000_000) }

  /// Whole milliseconds, rounded down.
  public var milliseconds: Int64 { floorDivide(1_000) }

  private func floorDivide(_ unit: Int64) -> Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: unit)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// This instant moved by `seconds` (which may be negative); saturates, and stays put on a non-finite number.
  public func advanced(by seconds: Double) -> Instant {
    let delta = seconds * 1_000_000
    guard delta.isFinite else { return self }
    guard abs(delta) < 9.2e18 else { return delta < 0 ? .distantPast : .distantFuture }
    let (sum, overflow) = microseconds.addingReportingOverflow(Int64(delta))
    return Instant(microseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  /// Seconds from `other` to this instant; negative when this one is earlier.
  public func since(_ other: Instant) -> Double {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(other.microseconds)
    guard overflow else { return Double(difference) / 1_000_000 }
    return (Double(microseconds) - Double(other.microseconds)) / 1_000_000
  }

  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}
