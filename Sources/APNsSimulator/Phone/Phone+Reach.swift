/// What a perfect server could do for each order on this phone right now (docs/delivery-semantics.md 7).
extension Phone {
  func writeReach(_ hands: inout Hands) {
    for order in followed.count > 1 ? followed.keys.sorted() : Array(followed.keys) {
      guard let old = followed[order] else { continue }
      let word = reach(of: old)
      guard word != old.reach else { continue }
      followed[order]?.reach = word
      write(.reach, &hands) { record in
        record.order = order
        record.word = word
      }
    }
  }

  /// `card`: a card stands and its token is known to the API. `start`: a card could be started. Else why not.
  private func reach(of order: Followed) -> String {
    let standing = cards.filter { $0.order == order.order && $0.isActive }
    if !isOnline { return "offline" }
    if let card = standing.last {
      if order.dismissed { return "dismissed" }
      if card.isRegistered { return "card" }
      if isForceQuit { return "forceQuit" }
      return !isAllowed && card.starter == .push ? "notAllowed" : "noToken"
    }
    if order.dismissed { return "dismissed" }
    if user == nil { return "loggedOut" }
    if !activitiesEnabled { return "activitiesOff" }
    if !canStartByPush { return "osTooOld" }
    if startToken == nil || app.knownStartToken != startToken { return "noStartToken" }
    if order.startLost { return "startLost" }
    return activeCards >= Self.cardsMax ? "cardLimit" : "start"
  }
}
