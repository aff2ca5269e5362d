import Domain

/// RFC 3339 date-times, strictly and without the machine's time zone (the table of spellings is in docs/events.md).
public enum RFC3339 {
  /// The instant, or nil when the text is not an RFC 3339 date-time with an offset, names a date that does not
  /// exist, or lies before 1970. Fractions beyond a microsecond are cut off; 23:59:60 UTC is the second after it.
  public static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
    var reader = DigitReader(text)
    guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2), reader.take("-"),
      let day = reader.number(digits: 2), reader.take("T") || reader.take("t"),
      let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2), reader.take(":"),
      let second = reader.number(digits: 2)
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year), hour <= 23, minute <= 59 else {
      return nil
    }
    var microseconds = 0
    if reader.take(".") {
      guard let fraction = reader.fraction() else { return nil }
      microseconds = fraction
    }
    guard let offset = reader.offsetSeconds(), reader.isAtEnd else { return nil }
    let minuteStart = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 - offset
    guard second <= 59 || (second == 60 && isLastMinuteOfDay(minuteStart)), minuteStart + second >= 0 else {
      return nil
    }
    return Instant(microseconds: Int64(minuteStart + second) * 1_000_000 + Int64(microseconds))
  }

  public static func parse(_ text: String) -> Instant? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  /// The instant in UTC with as many of its fraction digits as it has: `2026-11-30T09:12:33.25Z`.
  public static func format(_ instant: Instant) -> String {
    let seconds = instant.seconds
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let (year, month, dayOfMonth) = civil(day)
    let clock = seconds - day * 86_400
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    let time = "\(padded(clock / 3_600, 2)):\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2))"
    return date + "T" + time + fraction((instant.microseconds % 1_000_000 + 1_000_000) % 1_000_000) + "Z"
  }

  private static func fraction(_ microseconds: Int64) -> String {
    guard (1..<1_000_000).contains(microseconds) else { return "" }
    var digits = padded(microseconds, 6)
    while digits.last == "0" { digits.removeLast() }
    return "." + digits
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The date that many days after 1970-01-01: the inverse of `daysSince1970`.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func isLastMinuteOfDay(_ utcSeconds: Int) -> Bool {
    utcSeconds % 86_400 == 86_340
  }

  private static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days of the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// Reads fixed-width digits from ASCII text.
private struct DigitReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, UInt32(text[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func digit() -> Int? {
    guard position < text.count, case 0x30...0x39 = text[position] else { return nil }
    defer { position += 1 }
    return Int(text[position] - 0x30)
  }

  mutating func number(digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// At least one digit after the point, in microseconds.
  mutating func fraction() -> Int? {
    guard let first = digit() else { return nil }
    var value = first * 100_000
    var unit = 10_000
    while let next = digit() {
      value += next * unit
      unit /= 10
    }
    return value
  }

  mutating func offsetSeconds() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isEast = take("+")
    guard isEast || take("-") else { return nil }
    guard let hours = number(digits: 2), take(":"), let minutes = number(digits: 2), hours <= 23, minutes <= 59 else {
      return nil
    }
    return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}
