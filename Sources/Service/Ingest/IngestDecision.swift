import Domain

/// What one batch makes of the rows it was decided on: values in, values out.
struct IngestDecision: Sendable {
  struct EventOutcome: Sendable {
    var topic: String
    var type: String
    var outcome: String
  }

  var commit: IngestCommit
  /// Orders with a visible change: their phones are woken.
  var changed: Set<OrderID> = []
  /// nil: never again without an event.
  var refreshTimes: [OrderID: Instant?] = [:]
  var outcomes: [EventOutcome] = []

  static func decide(
    _ work: IngestWork, on loaded: LoadedDeliveries, now: Instant, estimator: Estimator, settings: IngestSettings
  ) -> IngestDecision {
    var decider = IngestDecider(loaded: loaded, now: now, estimator: estimator, settings: settings)
    let moved = decider.observeRiders(of: work)
    for (order, indices) in work.orders { decider.decide(order, events: indices.map { work.records[$0] }) }
    for order in moved where work.orders[order] == nil { decider.decide(order, events: []) }
    decider.writeRiders()
    decider.decision.commit.nextOffsets = work.nextOffsets
    return decider.decision
  }
}

/// The walk over one batch.
private struct IngestDecider {
  let loaded: LoadedDeliveries
  let now: Instant
  let estimator: Estimator
  let settings: IngestSettings
  var riders: [RiderID: RiderState] = [:]
  /// Riders whose position is behind a visible change of this batch.
  var visibleRiders: Set<RiderID> = []
  var decision: IngestDecision

  init(loaded: LoadedDeliveries, now: Instant, estimator: Estimator, settings: IngestSettings) {
    self.loaded = loaded
    self.now = now
    self.estimator = estimator
    self.settings = settings
    decision = IngestDecision(commit: IngestCommit(now: now))
  }

  /// Folds the batch's rider events, oldest first; answers the running orders that their riders carry.
  mutating func observeRiders(of work: IngestWork) -> Set<OrderID> {
    var moved: Set<OrderID> = []
    for (id, indices) in work.riders {
      var rider = loaded.riders[id]?.value ?? RiderState(id: id)
      var anyAccepted = false
      let entries = indices.map { work.records[$0] }.sorted { $0.riderTime < $1.riderTime }
      for entry in entries {
        guard case .rider(let event) = entry.event else { continue }
        let (type, outcome) = Self.observe(event, by: &rider, now: now)
        anyAccepted = anyAccepted || outcome == "applied"
        decision.outcomes.append(.init(topic: entry.record.topic, type: type, outcome: outcome))
      }
      riders[id] = rider
      if anyAccepted { moved.formUnion(loaded.carried[id] ?? []) }
    }
    return moved
  }

  private static func observe(_ event: RiderEvent, by rider: inout RiderState, now: Instant) -> (String, String) {
    switch event.what {
    case .position(let fix):
      switch rider.observe(fix, now: now) {
      case .accepted: return ("position", "applied")
      case .refused(let reason): return ("position", "ignored_\(reason)")
      }
    case .offline:
      rider.set(online: false, at: event.time)
      return ("offline", "applied")
    case .online:
      rider.set(online: true, at: event.time)
      return ("online", "applied")
    }
  }

  /// Applies the order's events, then looks at what its phones should show.
  mutating func decide(_ order: OrderID, events: [IngestWork.Entry]) {
    guard !loaded.tombstones.contains(order) else { return note(events, outcome: "finished") }
    let before = loaded.orders[order]
    if before == nil && events.isEmpty { return }
    var row = before?.value ?? OrderRow(delivery: Delivery(id: order))
    for entry in events { apply(entry, to: &row) }
    let rider = row.delivery.rider.flatMap { riders[$0] ?? loaded.riders[$0]?.value }
    let change = Presenter.refresh(
      &row.delivery, rider: rider, estimator: estimator, settings: settings.presentation, now: now)
    if let change { mark(change, on: &row, events: events) }
    decision.refreshTimes[order] = .some(row.delivery.refreshAt)
    // A position or a look that changes nothing visible writes nothing (rule 1.7), but for the memory that `arriving`
    // is derived from: it changes once or twice in an approach.
    let hasNews = !events.isEmpty && row != before?.value
    guard change != nil || hasNews || row.delivery.latch != before?.value.delivery.latch else { return }
    decision.commit.orders.append(Versioned(row, version: before?.version ?? 0))
  }

  private mutating func apply(_ entry: IngestWork.Entry, to row: inout OrderRow) {
    guard case .order(let event) = entry.event else { return }
    let applied = Tracker.apply(event, to: &row.delivery, now: now)
    if let traceparent = event.traceparent { row.traceparent = traceparent }
    decision.outcomes.append(
      .init(topic: entry.record.topic, type: event.what.name, outcome: applied.verdict.rawValue))
  }

  private mutating func note(_ events: [IngestWork.Entry], outcome: String) {
    for entry in events {
      guard case .order(let event) = entry.event else { continue }
      decision.outcomes.append(.init(topic: entry.record.topic, type: event.what.name, outcome: outcome))
    }
  }

  /// Old causes are silent: only a fresh one opens the time for starts and rings (rule 1.12).
  private mutating func mark(_ change: VisibleChange, on row: inout OrderRow, events: [IngestWork.Entry]) {
    decision.changed.insert(row.delivery.id)
    if let rider = row.delivery.rider { visibleRiders.insert(rider) }
    row.causeRecordAt = events.last?.record.timestamp
    guard change.causes.contains(.stage) else { return }
    let caughtUp = events.allSatisfy(\.isCaughtUp)
    let afterCutover = settings.cutover.map { change.causeTime >= $0 } ?? true
    row.causeFreshUntil =
      caughtUp && afterCutover ? change.causeTime.advanced(by: settings.causeSecondsMax) : .distantPast
  }

  mutating func writeRiders() {
    for (id, rider) in riders {
      let before = loaded.riders[id]
      guard rider != before?.value else { continue }
      let isDue = rider.isWriteDue(since: before?.value, everySeconds: settings.riderWriteSeconds)
      guard isDue || visibleRiders.contains(id) else { continue }
      decision.commit.riders.append(Versioned(rider, version: before?.version ?? 0))
    }
  }
}

extension IngestWork.Entry {
  fileprivate var riderTime: Instant {
    if case .rider(let event) = event { return event.time }
    return .distantPast
  }
}

extension RiderState {
  /// True for a rider not stored yet, for a change of what the filter remembers, and when the stored fix has aged.
  fileprivate func isWriteDue(since stored: RiderState?, everySeconds: Double) -> Bool {
    guard let stored, let storedFix = stored.lastFix else { return true }
    guard let lastFix else { return true }
    guard isOnline == stored.isOnline, suspect == stored.suspect else { return true }
    return lastFix.time.since(storedFix.time) >= everySeconds
  }
}
