import Domain

extension Dispatcher {
  /// An answer ends a flight: its settlement waits for the next turn, its phone is looked at again after that.
  func note(_ answer: PushAnswer) {
    guard let flight = inFlight.removeValue(forKey: answer.ticket) else { return }
    let plan = flight.request.plan
    let seconds = flight.causeRecordAt.map { clock.wall().since($0) }
    observer.push(plan, answer: answer, environment: flight.environment, eventSeconds: seconds)
    keep(flight.request, result: Self.result(of: answer, plan: plan, token: flight.token))
    if let pause = pause(after: answer.outcome) {
      resting.insert(flight.request.phone)
      due.set(flight.request.phone, at: clock.instant(afterSeconds: pause))
    }
  }

  /// Real seconds before the phone's next try; nil when nothing failed.
  private func pause(after outcome: PushOutcome) -> Double? {
    switch outcome {
    case .accepted, .rejected, .tokenDead: nil
    case .retry(let afterSeconds): afterSeconds
    case .unknown, .notSent: settings.retryPushSeconds
    }
  }

  func keep(_ request: ReservationRequest, result: Settlement.Result) {
    busy.insert(request.phone)
    unsettled.append(
      Settlement(
        phone: request.phone, attempt: request.attempt, plan: request.plan, desired: request.desired, result: result,
        at: clock.now()))
  }

  /// Writes what is known; phones are free again only when their rows say so.
  func settle() async throws {
    guard !unsettled.isEmpty else { return }
    let settling = unsettled
    let count = try await store.settle(settling)
    unsettled.removeFirst(settling.count)
    if count.outdated > 0 { observer.outdatedSettlements(count.outdated) }
    for settlement in settling {
      busy.remove(settlement.phone)
      // What came while the phone was busy was not looked at; a phone that rests is in the queue with its time.
      if resting.remove(settlement.phone) == nil { woken.phones.insert(settlement.phone) }
    }
  }

  /// What an answer means for the rows (rules 4.2, 4.3, 5.3).
  static func result(of answer: PushAnswer, plan: PushPlan, token: PushToken) -> Settlement.Result {
    switch answer.outcome {
    case .accepted: .accepted
    case .rejected: .refused
    case .tokenDead(let since): .tokenDead(token: token, since: since, reason: answer.reason)
    case .retry, .notSent: .released
    case .unknown: plan.event == .start ? .startInDoubt : .failed
    }
  }
}
