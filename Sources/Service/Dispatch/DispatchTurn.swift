import Domain

extension Dispatcher {
  /// One turn of the loop. Throws `StoreUnavailable` with nothing lost: answers are kept, phones come back.
  public func turn() async throws {
    takeNews()
    try await settle()
    guard !isDraining else { return }
    let wakes = pickDue()
    guard !wakes.isEmpty else { return }
    do {
      let phones = try await store.phones(for: wakes, now: clock.now())
      try await dispatch(phones)
    } catch {
      woken.merge(wakes)
      throw error
    }
  }

  private func takeNews() {
    let news = inbox.drain()
    woken.merge(news.wakes)
    for answer in news.answers { note(answer) }
  }

  /// Orders and phones to look at now, at most a batch of each; the rest stays for the next turn.
  private func pickDue() -> Wakes {
    let room = settings.batchPhonesMax
    var wakes = Wakes(orders: woken.orders.removeFirst(room), phones: woken.phones.removeFirst(room))
    wakes.phones.formUnion(due.popDue(at: clock.now(), limit: max(room - wakes.phones.count, 0)))
    wakes.phones.formUnion(swept.prefix(max(room - wakes.phones.count, 0)))
    observer.queue(
      due: woken.orders.count + woken.phones.count + swept.count, oldestSeconds: 0, inFlight: inFlight.count)
    return wakes
  }

  private func dispatch(_ phones: [LoadedPhone]) async throws {
    let now = clock.now()
    var candidates: [Candidate] = []
    for phone in phones {
      guard let candidate = consider(phone, now: now) else { continue }
      candidates.append(candidate)
    }
    let chosen = withinCredits(candidates)
    guard !chosen.isEmpty else { return }
    let asked = clock.monotonic()
    let reservations: [Reservation]
    do {
      reservations = try await store.reserve(chosen.map(\.request), now: now)
    } catch {
      // It may have been written all the same: an open reservation then shows in the row and is waited for.
      for candidate in chosen { woken.phones.insert(candidate.request.phone) }
      throw error
    }
    let elapsed = clock.monotonic() - asked
    send(reservations, of: chosen, isLate: elapsed > settings.reservationSeconds - settings.pushDeadlineSeconds)
  }

  /// The policy's answer for one phone; nil when there is nothing to push now.
  private func consider(_ phone: LoadedPhone, now: Instant) -> Candidate? {
    let id = phone.view.installation.id
    let isSwept = swept.remove(id) != nil
    guard let lease = leases[phone.shard], !busy.contains(id) else { return nil }
    due.remove(id)
    if let seconds = phone.reservedForSeconds {
      due.set(id, at: clock.instant(afterSeconds: seconds))
      return nil
    }
    let decision = policy.decide(phone.view, now: now)
    for verdict in decision.verdicts.values { observer.decision(verdict) }
    if let next = decision.lookAgainAt { due.set(id, at: next) }
    guard let plan = decision.plan, settings.rollout.current.permits(plan.event, to: phone.view.installation) else {
      return nil
    }
    if isSwept && !woken.phones.contains(id) { observer.sweepRepaired() }
    return candidate(for: plan, on: phone, lease: lease, now: now)
  }

  private func candidate(for plan: PushPlan, on phone: LoadedPhone, lease: ShardLease, now: Instant) -> Candidate? {
    let installation = phone.view.installation
    guard let order = phone.view.orders.first(where: { $0.id == plan.order }),
      let token = PushShaper.token(for: plan, on: installation, order: order)
    else { return nil }
    let request = ReservationRequest(
      phone: installation.id, lease: lease, plan: plan, orderVersion: order.version, attempt: phone.attempt,
      registration: phone.registration,
      budget: phone.view.budget.debited(by: plan, now: now, installation: installation, settings: policy.settings),
      desired: order.desired, leaseSeconds: settings.reservationSeconds)
    return Candidate(request: request, installation: installation, token: token, cause: phone.causes[plan.order])
  }

  /// The most urgent that find a free stream; the others come back when streams are free (rule 3.2).
  private func withinCredits(_ candidates: [Candidate]) -> [Candidate] {
    var credits: [PushLane: Int] = [:]
    var chosen: [Candidate] = []
    for candidate in candidates.sorted(by: { $0.request.plan.urgency < $1.request.plan.urgency }) {
      let left = credits[candidate.lane] ?? gateway.credits(for: candidate.lane)
      guard left > 0 else {
        credits[candidate.lane] = 0
        due.set(candidate.request.phone, at: clock.instant(afterSeconds: settings.idleTurnSeconds))
        continue
      }
      credits[candidate.lane] = left - 1
      chosen.append(candidate)
    }
    return chosen
  }

  private func send(_ reservations: [Reservation], of chosen: [Candidate], isLate: Bool) {
    let reserved = Dictionary(reservations.map { ($0.phone, $0) }, uniquingKeysWith: { first, _ in first })
    var pushes: [Push] = []
    for candidate in chosen {
      let phone = candidate.request.phone
      guard let reservation = reserved[phone] else {
        woken.phones.insert(phone)
        continue
      }
      if let push = push(for: candidate, reservation, isLate: isLate) { pushes.append(push) }
    }
    if reserved.count < chosen.count { observer.reservationsLost(chosen.count - reserved.count) }
    if !pushes.isEmpty { gateway.send(pushes, answersTo: inbox) }
  }

  /// Takes note of the push in flight and shapes it; a push that cannot or may no longer be sent is settled at once.
  private func push(for candidate: Candidate, _ reservation: Reservation, isLate: Bool) -> Push? {
    var request = candidate.request
    request.attempt = reservation.attempt
    guard !isLate else {
      keep(request, result: .released)
      return nil
    }
    do {
      let push = try shaper.push(
        ticket: nextTicket, plan: request.plan, snapshot: request.desired, apsTimestamp: reservation.apsTimestamp,
        installation: candidate.installation, token: candidate.token, traceparent: candidate.cause?.traceparent)
      inFlight[nextTicket] = InFlight(
        request: request, environment: candidate.installation.environment, token: candidate.token,
        causeRecordAt: candidate.cause?.recordAt)
      busy.insert(request.phone)
      nextTicket += 1
      return push
    } catch {
      observer.payloadRefused(request.plan, reason: error.description)
      keep(request, result: .refused)
      return nil
    }
  }
}

/// A chosen push before its reservation.
struct Candidate: Sendable {
  var request: ReservationRequest
  var installation: Installation
  var token: PushToken
  var cause: LoadedPhone.Cause?

  var lane: PushLane { PushLane(bundleID: installation.bundleID, environment: installation.environment) }
}

extension Set {
  /// Takes up to `count` members out.
  fileprivate mutating func removeFirst(_ count: Int) -> Set {
    guard self.count > count else {
      defer { self = [] }
      return self
    }
    let taken = Set(prefix(count))
    subtract(taken)
    return taken
  }
}

extension Dispatcher {
  /// Nothing to look at now: what is left waits for the clock, for news or for answers.
  public var isIdle: Bool {
    woken.isEmpty && swept.isEmpty && unsettled.isEmpty && due.next.map { $0 > clock.now() } ?? true
  }

  /// When the clock alone may bring work.
  public var nextLook: Instant? { due.next }
}
