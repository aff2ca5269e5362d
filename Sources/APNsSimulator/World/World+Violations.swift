/// What goes into the log about requests, and what counts as a violation: a request that Apple refuses for the
/// sender's fault, or accepts only for the phone to throw it away in silence.
extension World {
  static let timestampAheadSecondsMax: Int64 = 60

  func writePush(_ push: IncomingPush, _ phone: Phone, status: Int, reason: String?) {
    var record = TruthRecord(.push)
    record.phone = phone.installation
    record.order = push.order
    record.card = push.card
    record.word = push.word
    record.push = push.id
    record.priority = push.priority
    record.status = status
    record.text = reason
    record.rings = push.payload?.alert?.hasText ?? false
    if push.type == .liveactivity {
      record.stage = push.payload?.content?.stage ?? []
      record.number = push.payload?.content?.sequence
    } else {
      record.stage = push.payload?.stage.flatMap(Step.init(name:)).map(Steps.init) ?? []
    }
    write(record)
  }

  func writeRefused(_ refusal: Refusal, _ request: APNsRequest) {
    var record = TruthRecord(.push)
    record.word = "refused"
    record.push = pushesSeen
    record.status = refusal.reason.status
    record.text = refusal.reason.rawValue
    if let entry = frontEnd.tokens.entries[String(request.path.dropFirst(FrontEnd.devicePath.count)).lowercased()] {
      record.phone = phones[entry.phone].installation
      if case .update(let card) = entry.kind { record.card = card }
    }
    write(record)
    let isNormal = refusal.reason.status == 410 || refusal.detail == TokenDirectory.deadDetail
    if !isNormal { violation(refusal.reason.rawValue, refusal.detail) }
  }

  func violation(_ word: String, _ detail: String) {
    var record = TruthRecord(.violation)
    record.word = word
    record.text = detail
    write(record)
  }

  func checkPayload(_ push: IncomingPush) {
    guard let payload = push.payload else { return violation("notJSON", "the body is not an object with aps") }
    guard push.type == .liveactivity else { return }
    guard payload.event != nil else { return violation("noEvent", "aps.event must be start, update or end") }
    guard let timestamp = payload.timestamp else { return violation("noTimestamp", "aps.timestamp must be whole") }
    if timestamp > now.seconds + Self.timestampAheadSecondsMax {
      violation("timestampAhead", "aps.timestamp lies \(timestamp - now.seconds) s ahead; Unix seconds are expected")
    }
    if !payload.hasContent && payload.event != .end { violation("noContent", "content-state is missing") }
    if payload.event == .start && payload.alert == nil { violation("startWithoutAlert", "the phone drops it") }
  }
}
