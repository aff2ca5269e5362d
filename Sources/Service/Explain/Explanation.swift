import Codecs
import Domain

/// One order's story as far as the rows tell it, with what the policy would decide for each phone now.
public struct Explanation: Sendable {
  /// A stage as the platform said it.
  public struct Said: Sendable {
    public var stage: Stage
    public var time: Instant
    public var sequence: Int64
    public var space: String
  }

  /// One phone that shows the order, or should.
  public struct Phone: Sendable {
    public var installation: Installation
    public var order: OrderView
    public var verdict: Verdict?
    public var lookAgainAt: Instant?
  }

  public var order: OrderID
  public var stage: Stage
  public var user: UserID?
  public var app: String?
  public var heardAt: Instant
  public var snapshot: Snapshot?
  /// Newest event of each stage in each sequence space, by time.
  public var said: [Said]
  public var phones: [Phone]
  public var at: Instant
}

extension Explanation {
  /// The answer of `GET /v1/orders/{orderId}/explanation`: no token, no name, no place.
  public func json() -> [UInt8] {
    var writer = JSONWriter(capacity: 2_048)
    writer.beginObject()
    writer.member("orderId", order.text)
    writer.member("at", at.rfc3339)
    writer.member("stage", stage.name)
    writer.member("userId", user?.text)
    writer.member("app", app)
    if heardAt != .distantPast { writer.member("heardAt", heardAt.rfc3339) }
    if let snapshot { write(snapshot, to: &writer) }
    writer.key("events")
    writer.beginArray()
    for event in said { event.write(to: &writer) }
    writer.endArray()
    writer.key("phones")
    writer.beginArray()
    for phone in phones { phone.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private func write(_ snapshot: Snapshot, to writer: inout JSONWriter) {
    writer.key("snapshot")
    writer.beginObject()
    writer.member("sequence", snapshot.sequence)
    writer.member("stage", snapshot.stage.name)
    writer.member("computedAt", snapshot.computed.rfc3339)
    writer.member("riderPhase", snapshot.riderPhase.name)
    writer.member("arrivalAt", snapshot.arrival?.rfc3339)
    writer.member("isDelayed", snapshot.isDelayed)
    writer.endObject()
  }
}

extension Explanation.Said {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("stage", stage.name)
    writer.member("time", time.rfc3339)
    writer.member("sequence", sequence)
    writer.member("space", space)
    writer.endObject()
  }
}

extension Explanation.Phone {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("installationId", installation.id.text)
    installation.writeStanding(to: &writer)
    writer.member("suppressed", order.suppressed)
    writer.member("withdrawn", order.withdrawn)
    writer.member("decision", verdict?.kind.rawValue)
    writer.member("rule", verdict?.rule)
    writer.member("lookAgainAt", lookAgainAt?.rfc3339)
    writer.key("cards")
    writer.beginArray()
    for card in order.cards { card.write(to: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

extension CardView {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("generation", generation)
    writer.member("phase", phase.rawValue)
    writer.member("startedBy", startedBy.rawValue)
    writer.member("startedAt", startedAt.rfc3339)
    writer.member("attributesType", attributesType)
    writer.member("hasUpdateToken", updateToken != nil)
    writer.member("toldSequence", told?.sequence)
    writer.member("toldStage", told?.stage.name)
    writer.member("toldAt", told?.at.rfc3339)
    writer.member("knownSequence", known)
    writer.member("endsTold", endsTold)
    writer.endObject()
  }
}

extension Installation {
  /// What decides whether it can be reached, without its tokens.
  func writeStanding(to writer: inout JSONWriter) {
    writer.member("bundleId", bundleID)
    writer.member("environment", environment.rawValue)
    writer.member("osVersion", osVersion.map { "\($0.major).\($0.minor)" })
    writer.member("appVersion", appVersion)
    writer.member("activitiesEnabled", activitiesEnabled)
    writer.member("frequentPushesEnabled", frequentPushesEnabled)
    writer.member("notifications", notifications.rawValue)
    writer.member("hasDeviceToken", deviceToken != nil)
    writer.key("startTokenTypes")
    writer.beginArray()
    for type in startTokens.keys.sorted() { writer.string(type) }
    writer.endArray()
    writer.member("pushToStartProven", pushToStartProven)
  }
}
