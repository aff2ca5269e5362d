import Domain

/// Writes one push (docs/apns.md 4 and 7).
struct PushContent {
  let plan: PushPlan
  let order: OrderID
  let snapshot: Snapshot
  let apsTimestamp: Int64
  let installation: Installation
  let texts: Texts

  /// The body, or nil when a part of it is over its limit.
  func bytesWithinLimits() throws(PayloadRefused) -> [UInt8]? {
    var writer = JSONWriter(capacity: 1_024)
    writer.beginObject()
    writer.key("aps")
    writer.beginObject()
    let fits: Bool
    switch plan.event {
    case .start: fits = try start(&writer)
    case .update: fits = update(&writer, event: "update")
    case .end: fits = end(&writer)
    case .alert: fits = alert(&writer)
    case .wakeApp:
      writer.member("content-available", 1 as Int?)
      fits = true
    }
    writer.endObject()
    if case .alert = plan.event { businessKeys(&writer) }
    if case .wakeApp = plan.event { businessKeys(&writer) }
    writer.endObject()
    return fits && writer.bytes.count <= PayloadLimits.payloadBytesMax ? writer.bytes : nil
  }

  private func start(_ writer: inout JSONWriter) throws(PayloadRefused) -> Bool {
    guard let type = plan.attributesType, type == BuiltInShape.attributesType else {
      throw PayloadRefused("attributes-type: expected \(BuiltInShape.attributesType), the only shape configured")
    }
    common(&writer, event: "start")
    // Before iOS 18 the key's effect is not documented; from there on a start without it yields no update token.
    if let version = installation.osVersion, version.major >= 18 { writer.member("input-push-token", 1 as Int?) }
    writer.member("attributes-type", type)
    let attributesFit = sized(&writer, "attributes", PayloadLimits.attributesBytesMax) {
      BuiltInShape.writeAttributes(of: snapshot, order: order, to: &$0)
    }
    let stateFits = state(&writer)
    // A start without an alert is accepted by APNs and then dropped by the phone.
    cardAlert(&writer, texts.announcement(of: plan.ring ?? snapshot.stage))
    return attributesFit && stateFits
  }

  private func update(_ writer: inout JSONWriter, event: StaticString) -> Bool {
    common(&writer, event: event)
    let fits = state(&writer)
    if let ring = plan.ring { cardAlert(&writer, texts.announcement(of: ring)) }
    return fits
  }

  private func end(_ writer: inout JSONWriter) -> Bool {
    let fits = update(&writer, event: "end")
    if let dismissAt = plan.dismissAt {
      let latest = apsTimestamp + PayloadLimits.dismissalSecondsMax
      writer.member("dismissal-date", min(max(dismissAt.seconds, apsTimestamp), latest))
    }
    return fits
  }

  private func common(_ writer: inout JSONWriter, event: StaticString) {
    writer.member("timestamp", apsTimestamp)
    writer.key("event")
    writer.string(event)
    if let staleAt = plan.staleAt { writer.member("stale-date", max(staleAt.seconds, apsTimestamp)) }
    writer.member("relevance-score", plan.relevance)
  }

  private func state(_ writer: inout JSONWriter) -> Bool {
    sized(&writer, "content-state", PayloadLimits.contentStateBytesMax) {
      BuiltInShape.writeState(of: snapshot, to: &$0)
    }
  }

  private func sized(
    _ writer: inout JSONWriter, _ name: StaticString, _ limit: Int, _ body: (inout JSONWriter) -> Void
  ) -> Bool {
    writer.key(name)
    let before = writer.bytes.count
    body(&writer)
    return writer.bytes.count - before <= limit
  }

  /// Inside the card's `alert`, texts nest and the sound stands beside them.
  private func cardAlert(_ writer: inout JSONWriter, _ announcement: Announcement) {
    writer.key("alert")
    writer.beginObject()
    nested(&writer, "title", announcement.title)
    nested(&writer, "body", announcement.body)
    if plan.sounds { writer.member("sound", "default") }
    writer.endObject()
  }

  private func nested(_ writer: inout JSONWriter, _ name: StaticString, _ text: Text) {
    switch text {
    case .literal(let literal): writer.member(name, literal)
    case .localized(let key, let arguments):
      writer.key(name)
      writer.beginObject()
      writer.member("loc-key", key)
      list(&writer, "loc-args", arguments)
      writer.endObject()
    }
  }

  /// An ordinary notification, grouped by order.
  private func alert(_ writer: inout JSONWriter) -> Bool {
    let stage = plan.ring ?? snapshot.stage
    let announcement = texts.announcement(of: stage)
    writer.key("alert")
    writer.beginObject()
    flat(&writer, announcement.title, literal: "title", key: "title-loc-key", arguments: "title-loc-args")
    flat(&writer, announcement.body, literal: "body", key: "loc-key", arguments: "loc-args")
    writer.endObject()
    if plan.sounds { writer.member("sound", "default") }
    writer.member("interruption-level", plan.sounds && stage == .arriving ? "time-sensitive" : "active")
    writer.member("thread-id", order.text)
    writer.member("category", BuiltInShape.notificationCategory)
    return true
  }

  private func flat(
    _ writer: inout JSONWriter, _ text: Text, literal: StaticString, key: StaticString, arguments: StaticString
  ) {
    switch text {
    case .literal(let given): writer.member(literal, given)
    case .localized(let given, let values):
      writer.member(key, given)
      list(&writer, arguments, values)
    }
  }

  private func list(_ writer: inout JSONWriter, _ name: StaticString, _ values: [String]) {
    guard !values.isEmpty else { return }
    writer.key(name)
    writer.beginArray()
    for value in values { writer.string(value) }
    writer.endArray()
  }

  /// Beside `aps`, for the app: which order this is about and how new the news is.
  private func businessKeys(_ writer: inout JSONWriter) {
    writer.member("orderId", order.text)
    writer.member("sequence", snapshot.sequence)
    writer.member("stage", (plan.ring ?? snapshot.stage).name)
  }
}
