/// From APNs's acceptance to the phone's door: storage, batching, delay, reordering.
extension Phone {
  /// APNs accepted this push.
  func accepted(_ push: IncomingPush, _ hands: inout Hands) {
    if push.isLost { return writeDropped(push, "deadToken", &hands) }
    guard isOnline else { return hold(push, cause: "offline", &hands) }
    if push.priority < 10, let wait = burstWait(&hands) {
      hold(push, cause: "batching", &hands)
      if !mailbox.burstPlanned && !mailbox.held.isEmpty {
        mailbox.burstPlanned = true
        hands.later(wait, .burst)
      }
      return
    }
    // What waits for a burst leaves with this one, unless this one takes its place.
    let waiting = mailbox.takeAll()
    let replaced = !waiting.isEmpty && hands.random.happens(behaviour.overwriteProbability)
    for old in waiting {
      if replaced { lose(old, &hands) } else { send(old, &hands) }
    }
    send(push, &hands)
  }

  /// The network is back, or a burst is due.
  func burst(_ hands: inout Hands) {
    mailbox.burstPlanned = false
    guard isOnline else { return }
    for push in mailbox.takeAll() { send(push, &hands) }
  }

  func arrived(_ push: IncomingPush, _ hands: inout Hands) {
    guard isOnline else { return hold(push, cause: "offline", &hands) }
    switch push.type {
    case .liveactivity: showOnCard(push, &hands)
    case .alert: showAlert(push, &hands)
    default: wakeApp(&hands)
    }
  }

  func writeDropped(_ push: IncomingPush, _ why: String, _ hands: inout Hands) {
    write(.dropped, &hands) { record in
      record.order = push.order
      record.card = push.card
      record.word = why
      record.push = push.id
    }
  }

  func writeLag(_ push: IncomingPush, _ cause: String, _ hands: inout Hands) {
    write(.lag, &hands) { record in
      record.order = push.order
      record.card = push.card
      record.word = cause
      record.push = push.id
    }
  }

  private func send(_ push: IncomingPush, _ hands: inout Hands) {
    if let end = push.expiresAt, hands.now > end { return writeDropped(push, "expired", &hands) }
    var delay = hands.random.span(.seconds(behaviour.deliverySecondsMin), .seconds(behaviour.deliverySecondsMax))
    if hands.random.happens(behaviour.reorderProbability) {
      delay = Span(micros: delay.micros + hands.random.span(.zero, .seconds(behaviour.reorderSeconds)).micros)
    }
    writeLag(push, "delivery", &hands)
    hands.later(delay, .arrived(push))
  }

  private func hold(_ push: IncomingPush, cause: String, _ hands: inout Hands) {
    if push.onceOnly { return lose(push, why: "notStored", &hands) }
    writeLag(push, cause, &hands)
    let replaces = hands.random.happens(behaviour.overwriteProbability)
    for old in mailbox.hold(push, replaces: replaces) { lose(old, &hands) }
  }

  private func lose(_ push: IncomingPush, why: String = "overwritten", _ hands: inout Hands) {
    writeDropped(push, why, &hands)
    if case .start = push.kind { followed[push.order]?.startLost = true }
  }

  /// Nil when priority 5 goes at once.
  private func burstWait(_ hands: inout Hands) -> Span? {
    let most = isLowPower ? max(behaviour.batchSeconds, 120) : behaviour.batchSeconds
    return most > 0 ? hands.random.span(.zero, .seconds(most)) : nil
  }
}
