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
