import Domain
import HTTP2
import Runtime
import Service

/// What becomes of a push when its request has ended: the table of docs/apns.md 3.1.
extension PushPool {
  func settled(_ number: Int, _ outcome: HTTP2Outcome) {
    guard let parcel = parcels[number] else { return }
    switch outcome {
    case .answered(let response): answered(number, parcel, response)
    case .refused, .notSent: notProcessed(number, parcel)
    case .ambiguous:
      perform(pool.streamEnded(parcel.connection, .lost))
      finish(number, .unknown)
    }
    setNeedsTurn()
  }

  /// Certainly not processed: goes out again at once, as long as its time allows.
  private func notProcessed(_ number: Int, _ parcel: Parcel) {
    perform(pool.streamEnded(parcel.connection, .lost))
    sendAgain(number, parcel, orElse: .notSent)
  }

  private func sendAgain(
    _ number: Int, _ parcel: Parcel, limit: Int = repeatsMax, orElse outcome: PushOutcome, status: Int = 0,
    reason: String = ""
  ) {
    guard parcel.repeats < limit, parcel.deadline > MonotonicClock.now, !isDraining else {
      return finish(number, outcome, status: status, reason: reason)
    }
    parcels.update(number) { $0.repeats += 1 }
    waiting.append(number)
  }

  private func answered(_ number: Int, _ parcel: Parcel, _ response: HTTP2Response) {
    let now = MonotonicClock.now
    let body = response.status == 200 ? AnswerBody() : AnswerBody(response.body)
    let reaction = Reaction(status: response.status, body: body)
    perform(pool.streamEnded(parcel.connection, reaction.ending(status: response.status)))
    if reaction.showsOpenWay(status: response.status) { wayIsOpen(parcel, now: now) }
    let answer = Answer(number: number, parcel: parcel, status: response.status, body: body, now: now)
    let asked = response.field("retry-after").flatMap { Double($0) }.map { min(max($0, 0), 3600) }
    switch reaction {
    case .accepted:
      laneIsOpen(parcel, now: now)
      finish(number, .accepted, status: 200)
    case .mistake:
      parcel.lane.watch.answered(accepted: false, now: now)
      finish(answer, .rejected)
    case .dropToken:
      parcel.lane.watch.answered(accepted: false, now: now)
      finish(answer, .tokenDead(since: body.timestampMilliseconds.map { Instant(milliseconds: $0) }))
    case .suspectToken: suspectToken(answer)
    case .refusedApp: refusedApp(answer)
    case .refusedKey: stop(answer, .keyRefused)
    case .keepProviderToken: stop(answer, .tooManyProviderTokens)
    case .expiredProviderToken: anotherToken(answer, .expired)
    case .invalidProviderToken: anotherToken(answer, .invalid)
    case .newConnection: sendAgain(answer, limit: 1)
    case .leaveServer, .backOff: backOff(answer, asked: asked)
    case .backOffToken: finish(answer, .retry(afterSeconds: asked ?? 60 * (1 + 0.5 * random.fraction())))
    case .unclear: finish(answer, .unknown)
    }
  }

  struct Answer {
    var number: Int
    var parcel: Parcel
    var status: Int
    var body: AnswerBody
    var now: Double
  }

  // MARK: Reactions

  private func wayIsOpen(_ parcel: Parcel, now: Double) {
    let wasOpen = circuit.isOpen
    circuit.succeeded(isProbe: parcel.isProbe, now: now)
    if wasOpen, !circuit.isOpen { tellClosed(bundleID: nil) }
  }

  private func laneIsOpen(_ parcel: Parcel, now: Double) {
    let lane = parcel.lane
    lane.watch.answered(accepted: true, now: now)
    guard lane.watch.circuit.state != .closed else { return }
    let wasOpen = lane.watch.circuit.isOpen
    lane.watch.circuit.succeeded(isProbe: parcel.isLaneProbe, now: now)
    guard wasOpen, !lane.watch.circuit.isOpen else { return }
    lane.watch.recovered()
    tellClosed(bundleID: lane.lane.bundleID)
  }

  private func suspectToken(_ answer: Answer) {
    let lane = answer.parcel.lane
    if answer.parcel.push.environmentIsInferred, sendElsewhere(answer.parcel.push, answer.parcel.sink) {
      _ = parcels.remove(answer.number)
      return
    }
    let (verdict, opened) = lane.watch.badToken(
      answer.parcel.push.token, isProbe: answer.parcel.isLaneProbe, now: answer.now)
    if opened { tellOpened(.tokensRefused, bundleID: lane.lane.bundleID, reason: answer.body.reason) }
    observer.badToken(lane.lane, reason: answer.body.reason, isGivenUp: verdict == .dead)
    switch verdict {
    case .dead: finish(answer, .tokenDead(since: nil))
    case .unproven: finish(answer, .rejected)
    case .massFailure: finish(answer, .retry(afterSeconds: lanePause(lane, now: answer.now)))
    }
  }

  private func refusedApp(_ answer: Answer) {
    let lane = answer.parcel.lane
    if lane.watch.circuit.trip(now: answer.now) {
      tellOpened(.appRefused, bundleID: lane.lane.bundleID, reason: answer.body.reason)
    }
    finish(answer, .retry(afterSeconds: lanePause(lane, now: answer.now)))
  }

  private func stop(_ answer: Answer, _ cause: CircuitChange.Cause) {
    trip(cause, reason: answer.body.reason)
    finish(answer, .retry(afterSeconds: pause(now: answer.now)))
  }

  /// The push waits for the next provider token and goes out once more with it.
  private func anotherToken(_ answer: Answer, _ cause: Renewal) {
    if answer.parcel.tokenSerial == tokenSerial { requestRenewal(cause) }
    sendAgain(answer, limit: 1)
  }

  private func backOff(_ answer: Answer, asked: Double?) {
    if answer.status < 500 {
      trip(.paused, reason: answer.body.reason)
    } else if circuit.failed(isProbe: answer.parcel.isProbe, now: answer.now) {
      opened(.serverErrors, reason: answer.body.reason)
    }
    let pause = circuit.isOpen ? pause(now: answer.now) : 1 + 2 * random.fraction()
    finish(answer, .retry(afterSeconds: max(asked ?? 0, pause)))
  }

  private func sendAgain(_ answer: Answer, limit: Int) {
    sendAgain(
      answer.number, answer.parcel, limit: limit, orElse: .retry(afterSeconds: pause(now: answer.now)),
      status: answer.status, reason: answer.body.reason)
  }

  // MARK: Circuit

  func trip(_ cause: CircuitChange.Cause, reason: String) {
    if circuit.trip(now: MonotonicClock.now) { opened(cause, reason: reason) }
  }

  private func opened(_ cause: CircuitChange.Cause, reason: String) {
    openedBy = cause
    tellOpened(cause, bundleID: nil, reason: reason)
  }

  private func tellOpened(_ cause: CircuitChange.Cause, bundleID: String?, reason: String) {
    observer.circuit(
      CircuitChange(
        keyID: settings.keyID, environment: settings.environment, bundleID: bundleID, openedBy: cause, reason: reason))
  }

  private func tellClosed(bundleID: String?) {
    if bundleID == nil { openedBy = nil }
    observer.circuit(
      CircuitChange(
        keyID: settings.keyID, environment: settings.environment, bundleID: bundleID, openedBy: nil, reason: ""))
  }

  /// Up to the next probe, and then spread over the time in which the load may grow again.
  func pause(now: Double) -> Double { Self.pause(circuit, now: now, &random) }

  func lanePause(_ lane: Lane, now: Double) -> Double { Self.pause(lane.watch.circuit, now: now, &random) }

  private static func pause(_ circuit: CircuitBreaker, now: Double, _ random: inout SplitMix64) -> Double {
    max(1, (circuit.probeAt ?? now) - now) + CircuitBreaker.recoverySeconds * random.fraction()
  }

  // MARK: Ends

  /// Answers all that waits; nil asks each to come back after the circuit's pause.
  func refuseWaiting(_ outcome: PushOutcome?) {
    let numbers = waiting
    waiting = []
    let now = MonotonicClock.now
    for number in numbers { finish(number, outcome ?? .retry(afterSeconds: pause(now: now))) }
  }

  /// Answers what has waited for a stream until its deadline.
  func expireWaiting(now: Double) {
    guard !waiting.isEmpty else { return }
    let numbers = waiting
    waiting = waiting.filter { number in parcels[number].map { $0.deadline > now } ?? false }[...]
    guard waiting.count < numbers.count else { return }
    for number in numbers where parcels[number].map({ $0.deadline <= now }) ?? false { finish(number, .notSent) }
  }

  private func finish(_ answer: Answer, _ outcome: PushOutcome) {
    finish(answer.number, outcome, status: answer.status, reason: answer.body.reason)
  }

  func finish(_ number: Int, _ outcome: PushOutcome, status: Int = 0, reason: String = "") {
    guard let parcel = parcels.remove(number) else { return }
    // A probe that brought no success has failed, whatever it was that ended it.
    if parcel.isProbe, circuit.state == .probing { _ = circuit.failed(isProbe: true, now: MonotonicClock.now) }
    if parcel.isLaneProbe, parcel.lane.watch.circuit.state == .probing {
      _ = parcel.lane.watch.circuit.failed(isProbe: true, now: MonotonicClock.now)
    }
    settle(parcel, outcome, status: status, reason: reason)
  }

  func settle(_ parcel: Parcel, _ outcome: PushOutcome, status: Int = 0, reason: String = "") {
    let answer = PushAnswer(
      ticket: parcel.push.ticket, outcome: outcome, status: status, reason: reason,
      apnsID: String(decoding: parcel.id.text, as: UTF8.self), seconds: MonotonicClock.now - parcel.handedAt,
      environment: settings.environment)
    outbox.add(answer, to: parcel.sink)
  }
}

extension Reaction {
  /// What the answer says of the connection it came on.
  func ending(status: Int) -> ConnectionPool.Ending {
    switch self {
    case .accepted, .dropToken, .suspectToken, .refusedApp, .backOffToken: .authorised
    case .mistake: status == 403 ? .neutral : .authorised
    case .refusedKey, .expiredProviderToken, .invalidProviderToken, .keepProviderToken, .unclear: .neutral
    case .newConnection, .leaveServer: .leave
    case .backOff: status >= 500 ? .serverError : .neutral
    }
  }

  /// APNs looked at the push itself: key, host and service are in order.
  func showsOpenWay(status: Int) -> Bool { ending(status: status) == .authorised }
}
