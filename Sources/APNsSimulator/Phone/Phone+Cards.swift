/// What the system does with Live Activity pushes (docs/apns.md 4, 5).
extension Phone {
  func showOnCard(_ push: IncomingPush, _ hands: inout Hands) {
    guard let payload = push.payload else { return drop(push, "notJSON", &hands) }
    switch (payload.event, push.kind) {
    case (.start, .start(let type)): start(push, payload, type: type, &hands)
    case (.update, .update(let card)), (.end, .update(let card)): apply(push, payload, card: card, &hands)
    default: drop(push, "wrongEvent", &hands)
    }
  }

  private func start(_ push: IncomingPush, _ payload: PushPayload, type: String, _ hands: inout Hands) {
    let left = behaviour.startsPerDay - starts.count(at: hands.now)
    starts.spend(at: hands.now)
    if let why = refusal(of: payload, type: type, startsLeft: left) {
      followed[push.order]?.startLost = ["startBudget", "activitiesOff", "cardLimit", "osTooOld"].contains(why)
      return drop(push, why, &hands)
    }
    guard let content = payload.content, let order = payload.attributesOrder, let timestamp = payload.timestamp else {
      return drop(push, "decode", &hands)
    }
    if followed[order] == nil { followed[order] = Followed(order: order) }
    var card = makeCard(order: order, starter: .push, content: content, &hands)
    card.timestamp = timestamp
    card.channel = payload.channel
    card.staleAt = payload.staleAt.map(Moment.init(seconds:))
    let givesToken = os < OSRelease(18, 0) || payload.asksForToken
    add(card, "pushStarted", push: push.id, &hands)
    if payload.alert?.hasText == true { ring(push, content.stage, "card", &hands) }
    if !isAllowed, let seconds = behaviour.allowSeconds, seconds >= 0 { hands.later(.seconds(seconds), .allowed) }
    if givesToken { awaitToken(card.id, &hands) }
    if behaviour.rotatesStartToken { hands.later(.seconds(1), .startTokenChanged) }
    if behaviour.endsDuplicates { endOlderTwins(of: card, &hands) }
  }

  /// Why the system creates no card; nil when it does.
  private func refusal(of payload: PushPayload, type: String, startsLeft: Int) -> String? {
    if !canStartByPush { return "osTooOld" }
    if startsLeft <= 0 { return "startBudget" }
    if payload.alert == nil { return "noAlert" }
    if payload.attributesType != type || type != build.attributesType { return "unknownType" }
    if payload.channel != nil && os < OSRelease(18, 0) { return "channelTooNew" }
    if !activitiesEnabled { return "activitiesOff" }
    return activeCards >= Self.cardsMax ? "cardLimit" : nil
  }

  private func apply(_ push: IncomingPush, _ payload: PushPayload, card id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive else { return drop(push, "cardGone", &hands) }
    guard let timestamp = payload.timestamp else { return drop(push, "noTimestamp", &hands) }
    if let last = cards[at].timestamp, timestamp <= last { return drop(push, "olderTimestamp", &hands) }
    if payload.event == .update && payload.content == nil { return drop(push, "decode", &hands) }
    if payload.hasContent && payload.content == nil { return drop(push, "decode", &hands) }
    if push.priority == 10, payload.event == .update, let wait = priority10.take(at: hands.now) {
      writeLag(push, "budget", &hands)
      return hands.later(wait, .arrived(push))
    }
    cards[at].timestamp = timestamp
    cards[at].isStale = false
    cards[at].staleAt = payload.staleAt.map(Moment.init(seconds:))
    if let content = payload.content { take(content, at, push: push, &hands) }
    if payload.alert?.hasText == true { ring(push, cards[at].content.stage, "card", &hands) }
    if payload.event == .end {
      finish(at, dismissal: payload.dismissAt, &hands)
    } else if let staleAt = cards[at].staleAt {
      hands.later(staleAt - hands.now, .stale(card: id, at: staleAt))
    }
  }

  /// The app's view never goes back to a lower sequence; the system redraws with a gap.
  private func take(_ content: ShownContent, _ at: Int, push: IncomingPush, _ hands: inout Hands) {
    if let old = cards[at].content.sequence, let new = content.sequence, new < old {
      return drop(push, "lowerSequence", &hands)
    }
    cards[at].content = content
    cards[at].pendingDraw = push.id
    let gap = os >= OSRelease(18, 0) ? Span.seconds(behaviour.renderGapSeconds) : .zero
    let due = cards[at].drawnAt + gap
    if due <= hands.now || push.payload?.event == .end {
      draw(cards[at].id, &hands)
    } else {
      writeLag(push, "renderGap", &hands)
      hands.later(due - hands.now, .drawn(card: cards[at].id))
    }
  }

  func draw(_ id: Int, _ hands: inout Hands) {
    guard let at = cardIndex(id), cards[at].isActive, cards[at].pendingDraw != 0 else { return }
    cards[at].drawn = cards[at].content
    cards[at].drawnAt = hands.now
    writeShown(cards[at], push: cards[at].pendingDraw, &hands)
    cards[at].pendingDraw = 0
  }

  private func drop(_ push: IncomingPush, _ why: String, _ hands: inout Hands) { writeDropped(push, why, &hands) }

  private func ring(_ push: IncomingPush, _ stage: Steps, _ word: String, _ hands: inout Hands) {
    write(.ring, &hands) { record in
      record.order = push.order
      record.card = push.card
      record.word = word
      record.stage = stage
      record.push = push.id
    }
  }

  func showAlert(_ push: IncomingPush, _ hands: inout Hands) {
    guard notifications == "authorized" || notifications == "provisional" else {
      return drop(push, "notificationsOff", &hands)
    }
    guard push.payload?.alert?.hasText == true else { return drop(push, "noAlert", &hands) }
    alertsShown += 1
    let stage = push.payload?.stage.flatMap(Step.init(name:)).map(Steps.init) ?? []
    ring(push, stage, "alert", &hands)
  }

  func writeShown(_ card: Card, push: Int, _ hands: inout Hands) {
    write(.shown, &hands) { record in
      record.order = card.order
      record.card = card.id
      record.stage = card.drawn.stage
      record.number = card.drawn.sequence
      record.arrival = card.drawn.arrival
      record.push = push
    }
  }
}
