/// What users do, and what networks and systems undergo (docs/apns.md 5.7).
extension Phone {
  func perform(_ action: PhoneAction, order: String?, user newUser: String?, _ hands: inout Hands) {
    switch action {
    case .swipe: dismiss(order, says: false, &hands)
    case .swipeReported: dismiss(order, says: true, &hands)
    case .offline: isOnline = false
    case .online: comeOnline(&hands)
    case .activitiesOff: setActivities(false, &hands)
    case .activitiesOn: setActivities(true, &hands)
    case .notificationsOff: setNotifications("denied", &hands)
    case .notificationsOn: setNotifications("authorized", &hands)
    case .forceQuit: isForceQuit = true
    case .open: openApp(again: false, &hands)
    case .reboot, .rotateTokens: rotateTokens(&hands)
    case .lowPowerOn: isLowPower = true
    case .lowPowerOff: isLowPower = false
    case .allow: allow(&hands)
    case .killToken: killTokens(of: order, &hands)
    case .logOut: logOut(&hands)
    case .logIn: logIn(newUser, &hands)
    case .reinstall, .restoreBackup: break  // Another installation: the world's business.
    }
  }

  private func dismiss(_ order: String?, says: Bool, _ hands: inout Hands) {
    for at in cards.indices where cards[at].isActive && (order == nil || cards[at].order == order) {
      cards[at].state = .dismissed
      followed[cards[at].order]?.dismissed = true
      writeCard(cards[at], "dismissed", &hands)
      if let token = cards[at].token { hands.effects.append(.retire(token: token)) }
      if says { uploadActivity(cards[at], state: "dismissed", cause: "user", &hands) }
    }
  }

  private func comeOnline(_ hands: inout Hands) {
    guard !isOnline else { return }
    isOnline = true
    burst(&hands)
    sendNextUpload(&hands)
  }

  /// Switching Live Activities off ends those that run.
  private func setActivities(_ enabled: Bool, _ hands: inout Hands) {
    activitiesEnabled = enabled
    if !enabled {
      for at in cards.indices where cards[at].isActive {
        finish(at, dismissal: 0, &hands)
        uploadActivity(cards[at], state: "ended", cause: "system", &hands)
      }
    }
    uploadInstallation(&hands)
  }

  private func setNotifications(_ authorization: String, _ hands: inout Hands) {
    notifications = authorization
    writePhone(&hands)
    uploadInstallation(&hands)
  }

  private func rotateTokens(_ hands: inout Hands) {
    for card in cards where card.isActive { changeUpdateToken(card.id, &hands) }
    issueDeviceToken(&hands)
    if canStartByPush { issueStartToken(&hands) }
    uploadInstallation(&hands)
  }

  /// APNs calls the card's token dead though the card still stands; the app does not know.
  private func killTokens(of order: String?, _ hands: inout Hands) {
    for at in cards.indices where cards[at].isActive && (order == nil || cards[at].order == order) {
      if let token = cards[at].token { hands.effects.append(.retire(token: token, atOnce: true)) }
      followed[cards[at].order]?.dismissed = true
    }
  }

  private func logOut(_ hands: inout Hands) {
    guard user != nil else { return }
    hands.effects.append(.userChanged(from: user))
    user = nil
    for order in followed.keys { followed[order]?.startLost = true }
    enqueue(
      Upload(
        purpose: .logOut, method: "DELETE", path: "/v1/installations/\(Self.escaped(installation))", body: []), &hands)
  }

  private func logIn(_ newUser: String?, _ hands: inout Hands) {
    guard let newUser else { return }
    hands.effects.append(.userChanged(from: user))
    user = newUser
    for order in followed.keys { followed[order]?.startLost = false }
    app.credential = nil
    uploadInstallation(&hands)
  }
}
