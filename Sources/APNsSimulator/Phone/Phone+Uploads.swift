import FoundationEssentials

/// The app's requests to its API: one at a time, in order, repeated until answered.
extension Phone {
  func uploadInstallation(_ hands: inout Hands) {
    guard let user else { return }
    var json = JSONText()
    json.add("revision", app.nextRevision())
    json.add("userId", user)
    json.add("bundleId", bundle)
    json.add("environment", environment.rawValue)
    json.add("osVersion", os.text)
    json.add("appVersion", appVersion)
    json.add("locale", "en-US")
    json.add("timeZone", "Etc/UTC")
    json.add("uses24HourClock", true)
    json.add("activitiesEnabled", activitiesEnabled)
    json.add("frequentPushesEnabled", behaviour.frequentPushes)
    var permission = JSONText()
    permission.add("authorization", notifications)
    permission.add("timeSensitive", true)
    permission.add("sound", true)
    json.add("notifications", json: permission.closed())
    json.add("deviceToken", deviceToken)
    if let startToken {
      var tokens: [UInt8] = [UInt8(ascii: "{")]
      JSONText.append(build.attributesType, to: &tokens)
      tokens.append(UInt8(ascii: ":"))
      JSONText.append(startToken, to: &tokens)
      json.add("pushToStartTokens", json: tokens + [UInt8(ascii: "}")])
    }
    enqueue(
      Upload(
        purpose: .installation(
          startToken: startToken, deviceToken: deviceToken, activitiesEnabled: activitiesEnabled, user: user),
        method: "PUT", path: "/v1/installations/\(Self.escaped(installation))", body: json.closed()), &hands)
  }

  func uploadActivity(_ card: Card, state: String = "active", cause: String?, _ hands: inout Hands) {
    var json = JSONText()
    json.add("revision", app.nextRevision())
    json.add("installationId", installation)
    json.add("attributesType", build.attributesType)
    if let token = card.token { json.add("updateToken", token) }
    json.add("startedBy", card.starter.rawValue)
    json.add("startedAt", card.startedAt.rfc3339)
    json.add("state", state)
    if let cause { json.add("cause", cause) }
    if let sequence = card.drawn.sequence, sequence > 0 { json.add("displayedSequence", sequence) }
    enqueue(
      Upload(
        purpose: .activity(card: card.id, token: state == "active" ? card.token : nil), method: "PUT",
        path: "/v1/orders/\(Self.escaped(card.order))/activities/\(card.activityID)", body: json.closed()), &hands)
  }

  func reconcile(_ hands: inout Hands) {
    guard user != nil, !cards.isEmpty || !followed.isEmpty else { return }
    var list: [UInt8] = []
    for card in cards where card.state != .removed {
      if !list.isEmpty { list.append(UInt8(ascii: ",")) }
      var json = JSONText()
      json.add("activityId", card.activityID)
      json.add("orderId", card.order)
      json.add("attributesType", build.attributesType)
      json.add("state", card.isActive ? (card.isStale ? "stale" : "active") : card.state.rawValue)
      if card.isActive, let token = card.token { json.add("updateToken", token) }
      if let sequence = card.drawn.sequence, sequence > 0 { json.add("displayedSequence", sequence) }
      list += json.closed()
    }
    var json = JSONText()
    json.add("revision", app.nextRevision())
    json.add("activities", json: [UInt8(ascii: "[")] + list + [UInt8(ascii: "]")])
    enqueue(
      Upload(
        purpose: .reconcile, method: "POST", path: "/v1/installations/\(Self.escaped(installation))/reconcile",
        body: json.closed()), &hands)
  }

  func enqueue(_ upload: Upload, _ hands: inout Hands) {
    app.waiting.append(upload)
    sendNextUpload(&hands)
  }

  /// Nothing happens while one is in flight, the phone is offline or the app was force-quit.
  func sendNextUpload(_ hands: inout Hands) {
    guard app.inFlight == nil, isOnline, !isForceQuit, !app.waiting.isEmpty else { return }
    let upload = app.waiting.removeFirst()
    app.inFlight = upload
    hands.effects.append(.call(upload))
  }

  func repeatUpload(_ upload: Upload, _ hands: inout Hands) {
    var again = upload
    again.isRepeat = true
    enqueue(again, &hands)
  }

  /// `status` 0: no answer came.
  func answered(status: Int, body: [UInt8], _ hands: inout Hands) {
    guard var upload = app.inFlight else { return }
    app.inFlight = nil
    if (200..<300).contains(status) {
      if !upload.isRepeat { acknowledged(upload, body: body, &hands) }
      if let seconds = behaviour.repeatUploadSeconds, !upload.isRepeat, upload.method == "PUT" {
        hands.later(.seconds(seconds), .uploadRepeats(upload))
      }
      return sendNextUpload(&hands)
    }
    if status == 404 || status == 501, upload.isOptional {
      acknowledged(upload, body: [], &hands)
      return sendNextUpload(&hands)
    }
    if status == 401 || status == 403 { app.credential = nil }
    upload.attempts += 1
    let isFinal = (400..<500).contains(status) && ![401, 403, 408, 409, 429].contains(status)
    guard !isFinal, upload.attempts < AppState.uploadAttemptsMax else {
      write(.violation, &hands) { record in
        record.word = "uploadRefused"
        record.status = status
        record.text = "\(upload.method) by the phone"
      }
      return sendNextUpload(&hands)
    }
    app.waiting.insert(upload, at: 0)
    hands.later(.seconds(min(300, 2 * Double(upload.attempts))), .uploadDue)
  }

  private func acknowledged(_ upload: Upload, body: [UInt8], _ hands: inout Hands) {
    switch upload.purpose {
    case .installation(let startToken, let deviceToken, let enabled, let user):
      app.isRegistered = true
      app.knownStartToken = startToken
      app.knownDeviceToken = deviceToken
      app.knownActivitiesEnabled = enabled
      app.knownUser = user
      if let credential = Self.json(body)?["installationCredential"]?.text { app.credential = credential }
    case .activity(let id, let token):
      guard let token, let at = cardIndex(id) else { return }
      cards[at].registeredToken = token
      if cards[at].isRegistered { writeCard(cards[at], "registered", &hands) }
    case .intent(let order, _):
      if Self.json(body)?["pushStart"]?.text != "claimed" { startOwnCard(order, content: placedContent, &hands) }
    case .reconcile: if let answer = ReconcileAnswer.decode(body, for: build) { follow(answer, &hands) }
    case .logOut: app.isRegistered = false
    }
  }

  static func json(_ body: [UInt8]) -> JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: Data(body)) }
}
