/// What changed for the eye, and since when the platform knew.
public struct VisibleChange: Equatable, Sendable {
  public struct Causes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let stage = Causes(rawValue: 1)
    public static let riderPhase = Causes(rawValue: 2)
    public static let stops = Causes(rawValue: 4)
    public static let delayed = Causes(rawValue: 8)
    public static let riderName = Causes(rawValue: 16)
    public static let arrival = Causes(rawValue: 32)
  }

  public var causes: Causes
  /// Business time of the newest event or position behind it, never after now: what freshness is judged by (rule 1.12).
  public var causeTime: Instant

  public init(causes: Causes, causeTime: Instant) {
    self.causes = causes
    self.causeTime = causeTime
  }
}

/// Makes the snapshot that every phone of an order should show (docs/delivery-semantics.md 1.3, 1.5).
public enum Presenter {
  /// Looks at the delivery as it stands. A new snapshot is made only when something visible changed; then the change
  /// is returned. Also sets when to look again without any event.
  ///
  /// `dropsBefore`: deliveries of the same rider that come earlier, used where the platform does not say.
  public static func refresh(
    _ delivery: inout Delivery, rider: RiderState?, estimator: Estimator, settings: PresentationSettings, now: Instant,
    dropsBefore: Int = 0
  ) -> VisibleChange? {
    guard delivery.isShowable else { return nil }
    let standing = delivery.standing
    if let reopening = standing.reopening, delivery.latch.reopening.map({ reopening.beats($0) }) ?? true {
      beginLife(&delivery, reopening)
    }
    let previous = delivery.snapshot
    let scene = Scene(
      delivery: delivery, standing: standing, rider: rider, settings: settings, now: now, dropsBefore: dropsBefore)
    let look = scene.look(after: previous, latch: delivery.latch, estimator: estimator)
    delivery.latch.nearSince = look.nearSince
    delivery.latch.hasArrived = look.hasArrived
    let causes = look.snapshot.visibleCauses(since: previous)
    if delivery.refreshAt.map({ $0 <= now }) ?? true || !causes.isEmpty { delivery.refreshAt = look.refreshAt }
    guard !causes.isEmpty else { return nil }

    var snapshot = look.snapshot
    snapshot.sequence = max((previous?.sequence).map(successor) ?? 1, now.milliseconds)
    delivery.snapshot = snapshot
    delivery.latch.overdueSteps = look.overdueSteps
    return VisibleChange(causes: causes, causeTime: scene.causeTime(of: causes, stageStarted: snapshot.stageStarted))
  }

  private static func successor(_ sequence: Int64) -> Int64 { sequence == .max ? sequence : sequence + 1 }

  /// A reopening begins the shown stage and the progress anew; the sequence goes on.
  private static func beginLife(_ delivery: inout Delivery, _ reopening: Mark) {
    delivery.latch = ShownLatch()
    delivery.latch.reopening = reopening
    delivery.snapshot?.beginLife()
  }
}

extension Snapshot {
  /// Keeps only what outlives a reopening: sequence and life.
  mutating func beginLife() {
    life = life == .max ? life : life + 1
    stage = .placed
    progress = 0
    arrival = nil
    earliest = nil
    latest = nil
    stageStarted = .distantPast
    placed = .distantPast
  }

  func visibleCauses(since previous: Snapshot?) -> VisibleChange.Causes {
    guard let previous else { return .stage }
    var causes: VisibleChange.Causes = []
    if stage != previous.stage || stageStarted != previous.stageStarted { causes.insert(.stage) }
    if riderPhase != previous.riderPhase { causes.insert(.riderPhase) }
    if stopsBefore != previous.stopsBefore { causes.insert(.stops) }
    if isDelayed != previous.isDelayed { causes.insert(.delayed) }
    if riderName != previous.riderName { causes.insert(.riderName) }
    if (arrival, earliest, latest) != (previous.arrival, previous.earliest, previous.latest) {
      causes.insert(.arrival)
    }
    return causes
  }
}

private func != (
  left: (Instant?, Instant?, Instant?), right: (Instant?, Instant?, Instant?)
) -> Bool { left.0 != right.0 || left.1 != right.1 || left.2 != right.2 }
