import Codecs
import Domain

/// One event of the platform, planned: when it happens, when it reaches Kafka, what it says.
struct PlannedEvent: Sendable {
  /// What an event says besides its envelope; nil says nothing.
  struct Details: Sendable {
    var user: String?
    var placedBy: String?
    var kind: String?
    var storeName: String?
    var storePlace: Coordinate?
    var destination: Coordinate?
    var riderName: String?
    var rider: String?
    var reason: String?
    var stage: String?
    var stopsBefore: Int?
    /// Card seconds since the scenario's beginning.
    var promisedAt: Double?
    var scheduledFor: Double?
    var location: Coordinate?
  }

  /// Card seconds since the scenario's beginning.
  var happensAt: Double
  /// At least `happensAt`; later for late events.
  var publishedAt: Double
  var type: String
  /// Order id, or rider id for rider events: the subject and the Kafka key.
  var subject: String
  /// The business sequence; nil on rider events.
  var sequence: Int?
  var details = Details()

  var isRiderEvent: Bool { sequence == nil }

  /// The CloudEvents JSON, with `origin` as the business time of the scenario's beginning.
  func json(origin: Instant) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", "\(subject)-\(type)-\(sequence ?? Int(happensAt * 1_000))")
    writer.member("source", "/playground")
    writer.member("type", type)
    writer.member("subject", subject)
    writer.member("time", origin.advanced(by: happensAt).rfc3339)
    writer.member("sequence", sequence)
    writer.key("data")
    details.write(to: &writer, origin: origin)
    writer.endObject()
    return writer.bytes
  }
}

extension PlannedEvent.Details {
  fileprivate func write(to writer: inout JSONWriter, origin: Instant) {
    writer.beginObject()
    writer.member("userId", user)
    writer.member("placedByInstallationId", placedBy)
    writer.member("kind", kind)
    if storeName != nil || storePlace != nil {
      writer.key("store")
      writer.beginObject()
      writer.member("name", storeName)
      writer.location(storePlace)
      writer.endObject()
    }
    if let destination {
      writer.key("destination")
      writer.beginObject()
      writer.location(destination)
      writer.endObject()
    }
    if let rider {
      writer.key("rider")
      writer.beginObject()
      writer.member("id", rider)
      writer.member("name", riderName)
      writer.endObject()
    }
    writer.member("reason", reason)
    writer.member("stage", stage)
    writer.member("stopsBefore", stopsBefore)
    writer.member("promisedAt", promisedAt.map { origin.advanced(by: $0).rfc3339 })
    writer.member("scheduledFor", scheduledFor.map { origin.advanced(by: $0).rfc3339 })
    writer.location(location)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func location(_ place: Coordinate?) {
    guard let place else { return }
    key("location")
    beginObject()
    member("latitude", place.latitude)
    member("longitude", place.longitude)
    endObject()
  }
}

extension Instant {
  /// `2026-05-01T08:15:30.250000Z`.
  var rfc3339: String {
    let inDay = seconds - Self.floorDivide(seconds, 86_400) * 86_400
    let date = civilDate(days: Self.floorDivide(seconds, 86_400))
    let micros = microseconds - seconds * 1_000_000
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
      + "\(padded(inDay / 3_600, 2)):\(padded(inDay / 60 % 60, 2)):\(padded(inDay % 60, 2)).\(padded(micros, 6))Z"
  }

  private static func floorDivide(_ value: Int64, _ unit: Int64) -> Int64 {
    value >= 0 ? value / unit : (value - unit + 1) / unit
  }

  /// Days are counted in eras of 400 years that begin in March.
  private func civilDate(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }

  private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
