/// Budgets of one phone (docs/delivery-semantics.md 3.3, 4.6): what is left now, and what a push takes.
extension PhoneBudget {
  private static let hour = 3_600.0
  private static let day = 86_400.0

  /// Priority-10 pushes left at `now`: the bucket refills evenly and never holds more than an hour's worth.
  public func priority10Left(now: Instant, installation: Installation, settings: PolicySettings) -> Double {
    let capacity = installation.frequentPushesEnabled ? settings.priority10PerHourFrequent : settings.priority10PerHour
    let elapsed = max(now.since(bucketAt), 0)
    return max(min(bucket + elapsed * capacity / Self.hour, capacity), 0)
  }

  /// When a further start is allowed: `now` or earlier when it is. The last of a day is kept for renewals.
  func startAllowedAt(now: Instant, isRenewal: Bool, settings: PolicySettings) -> Instant {
    let perDay = settings.startsPerDayMax - (isRenewal ? 0 : settings.startsKeptForRenewal)
    return max(
      freeAt(limit: settings.startsPerHourMax, seconds: Self.hour, now: now),
      freeAt(limit: perDay, seconds: Self.day, now: now))
  }

  /// When fewer than `limit` starts lie within the last `seconds`.
  private func freeAt(limit: Int, seconds: Double, now: Instant) -> Instant {
    let within = starts.filter { now.since($0) < seconds }.sorted()
    guard within.count >= limit else { return now }
    guard limit > 0 else { return .distantFuture }
    return within[within.count - limit].advanced(by: seconds)
  }

  /// The budget after this push was reserved.
  public func debited(
    by plan: PushPlan, now: Instant, installation: Installation, settings: PolicySettings
  ) -> PhoneBudget {
    var left = self
    left.bucket = priority10Left(now: now, installation: installation, settings: settings)
    left.bucketAt = max(now, bucketAt)
    left.starts = starts.filter { now.since($0) < Self.day }
    switch plan.event {
    case .start: left.starts = (left.starts + [now]).sorted()
    case .update, .end: if plan.priority == 10 { left.bucket = max(left.bucket - 1, 0) }
    case .alert, .wakeApp: break
    }
    return left
  }
}
