import FoundationEssentials

/// What the app does: registers, starts its own card, reports, reconciles.
extension Phone {
  func switchedOn(_ hands: inout Hands) {
    writePhone(&hands)
    issueDeviceToken(&hands)
    if canStartByPush { issueStartToken(&hands) }
    uploadInstallation(&hands)
    if let seconds = behaviour.openEverySeconds { hands.later(.seconds(seconds), .appOpens(again: true)) }
  }

  func writePhone(_ hands: inout Hands) {
    write(.phone, &hands) { record in
      record.word = build.rawValue
      record.text = notifications
    }
  }

  func follow(_ order: String, placing: Bool, _ hands: inout Hands) {
    if followed[order] == nil { followed[order] = Followed(order: order) }
    followed[order]?.placing = placing
    write(.follows, &hands) { record in
      record.order = order
      record.word = placing ? "placing" : "other"
    }
  }

  /// The user has ordered in this app: it announces its start, then starts (docs/delivery-semantics.md 4.1).
  func checkout(_ order: String, store: String, _ hands: inout Hands) {
    guard behaviour.startsOwnCard, activitiesEnabled, os >= OSRelease(16, 1), !isForceQuit else { return }
    var json = JSONText()
    json.add("revision", app.nextRevision())
    json.add("installationId", installation)
    json.add("attributesType", build.attributesType)
    enqueue(
      Upload(
        purpose: .intent(order: order, store: store), method: "POST",
        path: "/v1/orders/\(Self.escaped(order))/start-intents",
        body: json.closed()), &hands)
  }

  /// What the app itself knows at checkout.
  var placedContent: ShownContent {
    ShownContent(stage: build == .texts ? .any : Steps(.placed), sequence: build.hasSequence ? 0 : nil)
  }

  /// The API has answered: no push start is on its way, so the app starts the card.
  func startOwnCard(_ order: String, content: ShownContent, _ hands: inout Hands) {
    guard activitiesEnabled, activeCards < Self.cardsMax, !cards.contains(where: { $0.order == order && $0.isActive })
    else { return }
    let card = makeCard(order: order, starter: .app, content: content, &hands)
    add(card, "started", push: 0, &hands)
    awaitToken(card.id, &hands)
  }

  func openApp(again: Bool, _ hands: inout Hands) {
    isForceQuit = false
    retryTokens(&hands)
    reconcile(&hands)
    sendNextUpload(&hands)
    if again, let seconds = behaviour.openEverySeconds { hands.later(.seconds(seconds), .appOpens(again: true)) }
  }

  /// A background push: the system gives the app a moment, unless the user force-quit it.
  func wakeApp(_ hands: inout Hands) {
    guard !isForceQuit else { return }
    reconcile(&hands)
  }

  func issueDeviceToken(_ hands: inout Hands) {
    if !deviceToken.isEmpty { hands.effects.append(.retire(token: deviceToken)) }
    deviceToken = hands.random.hexadecimal(bytes: 32)
    hands.effects.append(.issue(token: deviceToken, .device))
  }

  func issueStartToken(_ hands: inout Hands) {
    if let old = startToken { hands.effects.append(.retire(token: old)) }
    let token = hands.random.hexadecimal(bytes: 80)
    startToken = token
    hands.effects.append(.issue(token: token, .start(type: build.attributesType)))
  }

  /// Path-safe form of an id.
  static func escaped(_ id: String) -> String {
    var text = ""
    for byte in id.utf8 {
      let character = Character(UnicodeScalar(byte))
      if character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character)) {
        text.append(character)
      } else {
        text += "%" + String(byte, radix: 16, uppercase: true).leftPadded(to: 2)
      }
    }
    return text
  }
}

extension AppBuild {
  var hasSequence: Bool { self == .builtIn || self == .builtInOld }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
