/// What the transport is to do with one request.
public struct Handling: Equatable, Sendable {
  /// Nil: never answered.
  public var answer: APNsAnswer?
  public var delayMilliseconds = 0
  /// The stream is reset instead of answered.
  public var resets = false
  /// The connection is cut at once.
  public var cuts = false
  public var effects: [ProviderConnection.Effect] = []
}

extension World {
  /// One request on one connection: judged, perhaps hit by a fault, and if accepted on its way to a phone.
  public func receive(_ request: APNsRequest, on connection: inout ProviderConnection) -> Handling {
    if request.path.hasPrefix(Self.broadcastPath) { return broadcast(request, on: &connection) }
    pushesSeen += 1
    let judgement = frontEnd.judge(
      request, on: &connection, now: now, realNow: real, inventedID: random.uuid())
    switch judgement.outcome {
    case .refused(let refusal):
      writeRefused(refusal, request)
      return Handling(
        answer: judgement.answer, effects: connection.answered(judgement.answer.status, reason: refusal.reason))
    case .accepted(let accepted):
      return dispatch(accepted, judgement.answer, request, on: &connection)
    }
  }

  private func dispatch(
    _ accepted: FrontEnd.Accepted, _ answer: APNsAnswer, _ request: APNsRequest,
    on connection: inout ProviderConnection
  ) -> Handling {
    let phone = phones[accepted.entry.phone]
    var push = incoming(accepted, request.body, phone)
    var handling = Handling(answer: answer)
    let effect = fault(for: push, accepted, phone, environment: connection.environment)
    switch effect {
    case .answer(let status, let reason):
      handling.answer = injected(answer, status: status, reason: reason)
    case .delay(let milliseconds): handling.delayMilliseconds = milliseconds
    case .silence, .loseAnswer: handling.answer = nil
    case .resetBefore, .resetAfter:
      handling.answer = nil
      handling.resets = true
    case .cut:
      handling.answer = nil
      handling.cuts = true
    case .goAway(_, let form): handling.effects.append(.goAway(data: form.data))
    case .streamLimit(let streams): handling.effects.append(.streamLimit(streams))
    case .dropOnDevice: push.isLost = true
    case .windowBytes, .slowReader, nil: break
    }
    let isProcessed = effect.map(Self.isProcessed) ?? true
    if let answer = handling.answer {
      handling.effects += connection.answered(answer.status, reason: answer.reason.flatMap(Reason.init(rawValue:)))
    }
    writePush(push, phone, status: isProcessed ? 200 : handling.answer?.status ?? 0, reason: handling.answer?.reason)
    if isProcessed {
      checkPayload(push)
      with(phone.index) { phone, hands in
        phone.accepted(push, &hands)
        phone.writeReach(&hands)
      }
    }
    return handling
  }

  private static func isProcessed(_ effect: Fault.Effect) -> Bool {
    switch effect {
    case .answer, .silence, .resetBefore, .cut: false
    default: true
    }
  }

  private func injected(_ answer: APNsAnswer, status: Int, reason: String) -> APNsAnswer {
    var changed = answer
    changed.status = status
    changed.reason = status == 200 ? nil : reason
    changed.timestampMillis = status == 410 ? now.micros / 1000 : nil
    return changed
  }

  private func fault(
    for push: IncomingPush, _ accepted: FrontEnd.Accepted, _ phone: Phone, environment: APNsEnvironment
  ) -> Fault.Effect? {
    guard !faults.isEmpty else { return nil }
    let target = FaultTarget(
      token: accepted.token, installation: phone.installation, topic: accepted.headers.topic ?? "",
      environment: environment, event: push.word)
    for at in faults.indices
    where !faults[at].fault.effect.isOfConnection && faults[at].fault.matches(target, now: real) {
      if let rate = faults[at].fault.rate, !random.happens(rate) { continue }
      if case .goAway(let after, let form) = faults[at].fault.effect, after > 0 {
        faults[at].fault.effect = .goAway(after: after - 1, form: form)
        continue
      }
      if let count = faults[at].fault.count { faults[at].fault.count = count - 1 }
      if case .goAway = faults[at].fault.effect { faults[at].fault.count = 0 }
      return faults[at].fault.effect
    }
    return nil
  }

  private func incoming(_ accepted: FrontEnd.Accepted, _ body: [UInt8], _ phone: Phone) -> IncomingPush {
    let payload = PushPayload.decode(body, for: phone.build)
    var push = IncomingPush(
      id: pushesSeen, kind: accepted.entry.kind, type: accepted.headers.type, priority: accepted.headers.priority,
      payload: payload, isLost: accepted.entry.death != nil, order: payload?.orderID ?? payload?.attributesOrder ?? "")
    push.collapseID = accepted.headers.collapseID
    if let expiration = accepted.headers.expiration {
      push.onceOnly = expiration == 0
      if expiration > 0 { push.expiresAt = Moment(seconds: expiration) }
    }
    if case .update(let id) = accepted.entry.kind {
      push.card = id
      if let at = phone.cardIndex(id) { push.order = phone.cards[at].order }
    }
    return push
  }
}

extension IncomingPush {
  /// What it is, for the log and for faults.
  var word: String {
    switch type {
    case .liveactivity: payload?.event?.rawValue ?? "unknown"
    case .background: "background"
    default: "alert"
    }
  }
}
