/// A point in time: whole microseconds since 1970. Card time or real time, as the name that holds it says.
public struct Moment: Hashable, Comparable, Sendable {
  public var micros: Int64

  public init(micros: Int64) {
    self.micros = micros
  }

  /// Unix seconds; saturates at the ends.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    micros = overflow ? (seconds < 0 ? .min : .max) : product
  }

  public static let distantFuture = Moment(micros: .max)

  /// Whole Unix seconds, rounded down.
  public var seconds: Int64 { micros >= 0 ? micros / 1_000_000 : (micros - 999_999) / 1_000_000 }

  public static func < (left: Moment, right: Moment) -> Bool { left.micros < right.micros }

  /// Saturates: a moment beyond the ends of time is the end of time.
  public static func + (left: Moment, right: Span) -> Moment {
    let (sum, overflow) = left.micros.addingReportingOverflow(right.micros)
    return Moment(micros: overflow ? (right.micros < 0 ? .min : .max) : sum)
  }

  public static func - (left: Moment, right: Moment) -> Span {
    let (difference, overflow) = left.micros.subtractingReportingOverflow(right.micros)
    return Span(micros: overflow ? (left.micros < right.micros ? .min : .max) : difference)
  }
}

/// A length of time in microseconds.
public struct Span: Hashable, Comparable, Sendable {
  public var micros: Int64

  public init(micros: Int64) {
    self.micros = micros
  }

  public static let zero = Span(micros: 0)

  public static func seconds(_ value: Double) -> Span {
    guard value.magnitude < 9e12 else { return Span(micros: value < 0 ? .min : .max) }
    return Span(micros: Int64(value * 1_000_000 + (value < 0 ? -0.5 : 0.5)))
  }

  public static func hours(_ value: Int64) -> Span { Span(micros: value &* 3_600_000_000) }

  public var inSeconds: Double { Double(micros) / 1_000_000 }

  public static func < (left: Span, right: Span) -> Bool { left.micros < right.micros }
}
