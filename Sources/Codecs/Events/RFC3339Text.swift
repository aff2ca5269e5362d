import Domain

extension Instant {
  /// `2026-11-30T09:12:33.250000Z`; years beyond 9999 or before 1970 are clamped.
  public var rfc3339: String {
    let clamped = min(max(microseconds, 0), 253_402_300_799_999_999)
    let (days, ofDay) = clamped.quotientAndRemainder(dividingBy: 86_400_000_000)
    let (year, month, day) = Self.civilDate(days)
    let (seconds, fraction) = ofDay.quotientAndRemainder(dividingBy: 1_000_000)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(seconds / 3_600, 2))"
      + ":\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(fraction, 6))Z"
  }

  /// Proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
  private static func civilDate(_ daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSince1970 + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(width - digits.count, 0)) + digits
}
