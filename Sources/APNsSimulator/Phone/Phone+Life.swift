/// A card's life: request, token, age, end, removal.
extension Phone {
  func makeCard(order: String, starter: Card.Starter, content: ShownContent, _ hands: inout Hands) -> Card {
    hands.nextCard += 1
    return Card(
      id: hands.nextCard, activityID: hands.random.uuid(), order: order, starter: starter, startedAt: hands.now,
      content: content, drawn: content, drawnAt: hands.now)
  }

  func add(_ card: Card, _ word: String, push: Int, _ hands: inout Hands) {
    cards.removeAll { $0.state == .removed }
    cards.append(card)
    writeCard(card, word, &hands)
    writeShown(card, push: push, &hands)
    hands.later(Self.activeLife, .eightHours(card: card.id))
    if let staleAt = card.staleAt { hands.later(staleAt - hands.now, .stale(card: card.id, at: staleAt)) }
    if let seconds = behaviour.swipeSeconds {
      let action: PhoneAction = behaviour.swipeReported ? .swipeReported : .swipe
      hands.later(.seconds(seconds), .user(action, order: card.order, user: nil))
    }
    if let seconds = behaviour.rotateUpdateTokenSeconds {
      hands.later(.seconds(seconds), .updateTokenChanges(card: card.id))
    }
  }

  /// The token comes to the app after a while, if the app may run and, for a push start, the user allowed it.
  func awaitToken(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id) else { return }
    let mayHave = !isForceQuit && (isAllowed || cards[at].starter == .app)
    cards[at].awaitsToken = !mayHave
    guard mayHave else { return }
    hands.later(
      hands.random.span(.seconds(behaviour.tokenSecondsMin), .seconds(behaviour.tokenSecondsMax)), .tokenReady(card: id)
    )
  }

  func tokenReady(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive else { return }
    let token = hands.random.hexadecimal(bytes: 80)
    if let old = cards[at].token { hands.effects.append(.retire(token: old)) }
    cards[at].token = token
    hands.effects.append(.issue(token: token, .update(card: id)))
    writeCard(cards[at], "tokenKnown", &hands)
    uploadActivity(cards[at], cause: nil, &hands)
  }

  func changeUpdateToken(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive, cards[at].token != nil, !isForceQuit else { return }
    tokenReady(id, &hands)
    if let seconds = behaviour.rotateUpdateTokenSeconds {
      hands.later(.seconds(seconds), .updateTokenChanges(card: id))
    }
  }

  func changeStartToken(_ hands: inout Hands) {
    guard canStartByPush, startToken != nil, !isForceQuit else { return }
    issueStartToken(&hands)
    uploadInstallation(&hands)
  }

  func allow(_ hands: inout Hands) {
    guard !isAllowed else { return }
    isAllowed = true
    retryTokens(&hands)
  }

  /// Tokens that were withheld are given out now.
  func retryTokens(_ hands: inout Hands) {
    for card in cards where card.isActive && card.awaitsToken { awaitToken(card.id, &hands) }
  }

  func becomeStale(_ id: Int, at moment: Moment, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive, cards[at].staleAt == moment, !cards[at].isStale else { return }
    cards[at].isStale = true
    writeCard(cards[at], "stale", &hands)
  }

  func endByAge(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive else { return }
    finish(at, dismissal: nil, &hands)
  }

  /// Ends the card; `dismissal` (Unix seconds) as in the push: at most 4 hours on, at once when past.
  func finish(_ at: Int, dismissal: Int64?, _ hands: inout Hands) {
    let latest = hands.now + Self.lockScreenLife
    let removal = dismissal.map { min(Moment(seconds: $0), latest) } ?? latest
    cards[at].state = .ended
    cards[at].removeAt = removal
    if cards[at].drawn != cards[at].content {
      cards[at].drawn = cards[at].content
      writeShown(cards[at], push: cards[at].pendingDraw, &hands)
    }
    writeCard(cards[at], "ended", &hands)
    if let token = cards[at].token { hands.effects.append(.retire(token: token)) }
    if removal <= hands.now {
      remove(cards[at].id, &hands)
    } else {
      hands.later(removal - hands.now, .removal(card: cards[at].id))
    }
  }

  func remove(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].state == .ended else { return }
    cards[at].state = .removed
    writeCard(cards[at], "removed", &hands)
  }

  func endOlderTwins(of card: Card, _ hands: inout Hands) {
    for at in cards.indices where cards[at].order == card.order && cards[at].id != card.id && cards[at].isActive {
      uploadActivity(cards[at], state: "ended", cause: "replaced", &hands)
      finish(at, dismissal: 0, &hands)
    }
  }
}
