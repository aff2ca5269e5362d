/// The arrival as shown, and how it may move: apart from the estimate, so that a phone shows a calm time that is true.
struct ShownArrival: Equatable {
  var arrival: Instant?
  var earliest: Instant?
  var latest: Instant?
  var overdueSteps = 0
}

struct ArrivalDisplay {
  var settings: PresentationSettings
  var now: Instant
  var isAtDoor: Bool

  /// Keeps what is shown unless the estimate left the dead band or the shown range, an event asks for a new look, or
  /// the shown time has nearly run out.
  func next(after shown: ShownArrival, estimate: Estimate?, isEvent: Bool) -> ShownArrival {
    guard let estimate else { return ShownArrival() }
    guard let arrival = shown.arrival, !isEvent else { return fresh(estimate, secondsMin: settings.shownSecondsMin) }
    let toGo = arrival.since(now)
    if toGo < settings.shownSecondsMin { return overdue(estimate, steps: shown.overdueSteps) }
    let expected = max(estimate.p50, settings.shownSecondsMin)
    let band = min(max(settings.deadBandShare * toGo, settings.deadBandSecondsMin), settings.deadBandSecondsMax)
    let latest = shown.latest?.since(now) ?? .infinity
    let earliest = shown.earliest?.since(now) ?? 0
    let isKept = abs(expected - toGo) <= band && expected <= latest && (expected >= earliest || earliest <= 0)
    return isKept ? shown : fresh(estimate, secondsMin: settings.shownSecondsMin)
  }

  private func fresh(_ estimate: Estimate, secondsMin: Double, overdueSteps: Int = 0) -> ShownArrival {
    let middle = max(estimate.p50, secondsMin)
    return ShownArrival(
      arrival: now.advanced(by: middle), earliest: now.advanced(by: min(max(estimate.p10, 0), middle)),
      latest: now.advanced(by: max(estimate.p90, middle)), overdueSteps: overdueSteps)
  }

  /// Put off for longer each time, so that mere waiting does not cause a push a minute.
  private func overdue(_ estimate: Estimate, steps: Int) -> ShownArrival {
    let most = isAtDoor ? settings.overdueAtDoorSecondsMax : settings.deadBandSecondsMax
    var added = settings.deadBandSecondsMin
    for _ in 0..<min(steps, 8) { added *= 2 }
    return fresh(
      estimate, secondsMin: settings.shownSecondsMin + min(added, most), overdueSteps: min(steps, 8) + 1)
  }
}
