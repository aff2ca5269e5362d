/// One look at one delivery: everything of that moment, and what follows from it.
struct Scene {
  var delivery: Delivery
  var standing: Standing
  var rider: RiderState?
  var settings: PresentationSettings
  var now: Instant
  var dropsBefore: Int

  struct Look {
    /// Its sequence is still to be given.
    var snapshot: Snapshot
    var nearSince: Instant?
    var hasArrived: Bool
    var overdueSteps: Int
    var refreshAt: Instant?
  }

  func look(after previous: Snapshot?, latch: ShownLatch, estimator: Estimator) -> Look {
    let placed = placedTime(previous)
    let candidate = previous.map { $0.stage.rank > standing.stage.rank ? $0.stage : standing.stage } ?? standing.stage
    var question = question(stage: candidate, placed: placed)
    let nearness = nearness(stage: candidate, latch: latch, estimate: estimator.estimate(question))
    let stage = nearness.hasArrived && candidate.isUnderWay ? .arriving : candidate
    question.stage = stage
    question.stageStarted = stageStarted(stage, previous: previous)
    let estimate = hasArrivalToShow(stage) ? estimator.estimate(question)?.finite : nil

    var snapshot = Snapshot(
      sequence: previous?.sequence ?? 0, life: previous?.life ?? 0, stage: stage, stageStarted: question.stageStarted,
      computed: now, riderPhase: riderPhase(stage), progress: 0, placed: placed)
    snapshot.stopsBefore = stage.isTerminal ? nil : stopsBefore
    snapshot.remainingMeters = estimate?.remainingMeters.map { Int(min(max($0, 0), 10_000_000)) }
    snapshot.riderName = stage.isTerminal ? nil : shownRiderName
    snapshot.storeName = delivery.fields.storeName.value?.trimmed
    let overdueSteps = showArrival(on: &snapshot, previous: previous, latch: latch, estimate: estimate)
    snapshot.isDelayed = isDelayed(snapshot)
    snapshot.progress = progress(snapshot, previous: previous, estimate: estimate)
    return Look(
      snapshot: snapshot, nearSince: nearness.since, hasArrived: nearness.hasArrived, overdueSteps: overdueSteps,
      refreshAt: refreshAt(snapshot))
  }

  // MARK: times

  private func past(_ time: Instant) -> Instant { min(time, now) }

  /// The same for every card of one life, so it is kept from the life's first snapshot.
  private func placedTime(_ previous: Snapshot?) -> Instant {
    if let previous, previous.placed > .distantPast { return previous.placed }
    return past(standing.reopening?.stamp.time ?? delivery.began(.placed) ?? standing.mark?.stamp.time ?? now)
  }

  private func stageStarted(_ stage: Stage, previous: Snapshot?) -> Instant {
    if let previous, previous.stage == stage, previous.stageStarted > .distantPast { return previous.stageStarted }
    if stage == standing.stage { return past(standing.mark?.stamp.time ?? now) }
    return past(fix?.time ?? now)
  }

  /// The newest event or position behind these causes.
  func causeTime(of causes: VisibleChange.Causes, stageStarted: Instant) -> Instant {
    if causes.contains(.stage) { return past(stageStarted) }
    return past(max(delivery.heardAt, fix?.time ?? .distantPast))
  }

  private var isWaitingForSchedule: Bool {
    guard let schedule = delivery.schedule, !standing.stage.isTerminal, standing.stage < .pickedUp else { return false }
    return now < schedule.from.advanced(by: -settings.scheduledLeadSeconds)
  }

  private func refreshAt(_ snapshot: Snapshot) -> Instant? {
    guard !snapshot.stage.isTerminal else { return nil }
    if isWaitingForSchedule { return delivery.schedule?.from.advanced(by: -settings.scheduledLeadSeconds) }
    let regular = now.advanced(by: settings.refreshSeconds)
    guard let arrival = snapshot.arrival else { return regular }
    return min(regular, max(arrival.advanced(by: -settings.shownSecondsMin), now.advanced(by: 1)))
  }

  // MARK: rider

  /// The current rider's position, if it was measured for this delivery (after the assignment, in this part of the
  /// world).
  private var fix: Fix? {
    guard let rider, rider.id == delivery.rider, let fix = rider.lastFix else { return nil }
    if let assigned = delivery.assignedAt, fix.time < past(assigned) { return nil }
    if let place = delivery.fields.destination.value ?? delivery.fields.storeLocation.value,
      fix.coordinate.meters(to: place) > settings.legMetersMax
    {
      return nil
    }
    return fix
  }

  private func riderPhase(_ stage: Stage) -> RiderPhase {
    guard delivery.rider != nil, !stage.isTerminal else { return .none }
    if stage >= .pickedUp { return .carrying }
    guard let atStore = delivery.happenings.atStore.winner?.mark else { return .assigned }
    let assigned = delivery.happenings.assigned.winner?.mark
    return assigned.map { atStore.beats($0) } ?? true ? .atStore : .assigned
  }

  private var shownRiderName: String? {
    guard let name = delivery.riderDetails?.name?.trimmed else { return nil }
    switch settings.riderName {
    case .full: return name
    case .first: return name.split(whereSeparator: \.isWhitespace).first.map(String.init)
    case .none: return nil
    }
  }

  // MARK: arrival

  private func question(stage: Stage, placed: Instant) -> EstimateQuestion {
    var question = EstimateQuestion(
      now: now, stage: stage, stageStarted: past(delivery.began(stage) ?? standing.mark?.stamp.time ?? now),
      placed: placed)
    question.riderPhase = riderPhase(stage)
    question.isPickup = delivery.isPickup
    question.rider = delivery.rider
    question.storeID = delivery.fields.storeID.value
    question.store = delivery.fields.storeLocation.value
    question.destination = delivery.fields.destination.value
    question.fix = fix
    question.stopsBefore = stopsBefore ?? 0
    question.estimatedReadyAt = delivery.fields.estimatedReadyAt.value
    question.platformArrival = delivery.fields.platformArrival.value
    question.promisedAt = delivery.fields.promisedAt.value
    return question
  }

  /// Near the destination for a while, by the positions' own times; a single position never decides.
  private func nearness(stage: Stage, latch: ShownLatch, estimate: Estimate?) -> (since: Instant?, hasArrived: Bool) {
    guard stage.isUnderWay, !latch.hasArrived else { return (latch.nearSince, latch.hasArrived) }
    guard stopsBefore ?? 0 <= 0, let fix, let destination = delivery.fields.destination.value,
      now.since(fix.time) <= settings.arrivingFixSecondsMax
    else { return (nil, false) }
    let meters = fix.coordinate.meters(to: destination)
    let isSoon = meters <= settings.arrivingMetersMax && (estimate?.p50 ?? .infinity) <= settings.arrivingSeconds
    guard let since = latch.nearSince else {
      return (meters <= settings.arrivingMeters || isSoon ? fix.time : nil, false)
    }
    guard meters <= settings.leavingMeters || isSoon else { return (nil, false) }
    return (since, fix.time.since(since) >= settings.arrivingHoldSeconds)
  }

  /// Returns how often in a row the arrival was put off.
  private func showArrival(
    on snapshot: inout Snapshot, previous: Snapshot?, latch: ShownLatch, estimate: Estimate?
  ) -> Int {
    if isWaitingForSchedule {
      snapshot.earliest = delivery.schedule?.from
      snapshot.latest = delivery.schedule?.to
      return 0
    }
    let isEvent =
      previous.map {
        $0.stage != snapshot.stage || $0.riderPhase != snapshot.riderPhase || $0.stopsBefore != snapshot.stopsBefore
      } ?? true
    let display = ArrivalDisplay(settings: settings, now: now, isAtDoor: snapshot.stage == .arriving)
    let shown = display.next(
      after: ShownArrival(
        arrival: previous?.arrival, earliest: previous?.earliest, latest: previous?.latest,
        overdueSteps: latch.overdueSteps),
      estimate: estimate, isEvent: isEvent)
    snapshot.arrival = shown.arrival
    snapshot.earliest = shown.earliest
    snapshot.latest = shown.latest
    return shown.overdueSteps
  }

  /// Said by the platform, or counted among the rider's own orders while this one is under way.
  private var stopsBefore: Int? {
    if let given = delivery.fields.stopsBefore.value { return min(max(given, 0), 1_000) }
    return dropsBefore > 0 && standing.stage.isUnderWay ? dropsBefore : nil
  }

  /// No arrival is shown of goods that come back or wait to be collected, nor long before a scheduled order begins.
  private func hasArrivalToShow(_ stage: Stage) -> Bool {
    !stage.isTerminal && stage != .returning && !(delivery.isPickup && stage >= .ready) && !isWaitingForSchedule
  }

  private func isDelayed(_ snapshot: Snapshot) -> Bool {
    guard let promised = delivery.fields.promisedAt.value ?? delivery.schedule?.to else { return false }
    let arrival: Instant
    switch snapshot.stage {
    case .delivered: arrival = past(delivery.finishedAt ?? now)
    case .cancelled, .failed, .returned, .returning: return false
    default: arrival = max(snapshot.arrival ?? now, now)
    }
    return arrival.since(promised) > settings.delayedAfterSeconds
  }

  /// The share of the whole time that has passed, never less than shown before in this life.
  private func progress(_ snapshot: Snapshot, previous: Snapshot?, estimate: Estimate?) -> Double {
    let shown = previous?.progress ?? 0
    if snapshot.stage == .delivered { return 1 }
    guard !snapshot.stage.isTerminal, let estimate else { return shown }
    let elapsed = max(now.since(snapshot.placed), 0)
    let whole = elapsed + max(estimate.p50, settings.shownSecondsMin)
    let share = elapsed / whole
    return share.isFinite ? min(max(share, shown), 0.99) : shown
  }
}

extension Stage {
  /// Terminal stages rank alike: one may correct another.
  var rank: UInt8 { min(rawValue, Stage.delivered.rawValue) }

  /// The rider has the goods and is on the way to the customer.
  var isUnderWay: Bool { self == .pickedUp || self == .delivering }
}

extension String {
  /// Without white space around; nil when nothing is left.
  var trimmed: String? {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return nil }
    return String(self[first...last])
  }
}

extension Estimate {
  /// nil when any of it is not a number: then nothing is shown instead of nonsense.
  var finite: Estimate? {
    p10.isFinite && p50.isFinite && p60.isFinite && p90.isFinite && remainingMeters?.isFinite ?? true ? self : nil
  }
}
