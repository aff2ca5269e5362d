import Domain

/// Brings an app that came to the foreground and the rows together (docs/delivery-semantics.md 4.5, 5.2, 5.9).
public struct Reconciliation: Sendable {
  /// What the app does with one order or activity.
  public struct Instruction: Equatable, Sendable {
    public enum Action: String, Sendable { case start, update, end, keep }

    public var action: Action
    public var order: OrderID
    /// nil for a start.
    public var activityID: String?
    /// What to show; nil when the order is not known here.
    public var snapshot: Snapshot?
    public var staleAt: Instant?
    public var relevance: Double
    public var at: Instant
  }

  private let registry: any RegistryStore
  private let dispatch: any DispatchStore
  private let administration: any AdministrationStore
  private let waker: any Waker
  private let clock: any Clock
  private let settings: PolicySettings

  public init(
    registry: any RegistryStore, dispatch: any DispatchStore, administration: any AdministrationStore,
    waker: any Waker, clock: any Clock, settings: PolicySettings = PolicySettings()
  ) {
    self.registry = registry
    self.dispatch = dispatch
    self.administration = administration
    self.waker = waker
    self.clock = clock
    self.settings = settings
  }

  /// Takes the report as one of each activity, tells which cards are gone, and answers for each order.
  /// - Returns: nil when the installation is not registered.
  public func reconcile(_ report: ReconcileReport) async throws -> [Instruction]? {
    let now = clock.now()
    let standing = try await administration.activities(on: report.installation)
    for activity in report.activities {
      let known = standing.last { $0.activityID == activity.id }
      let outcome = try await registry.report(
        self.report(of: activity, known: known, in: report, now: now), now: now)
      if outcome == .unknownInstallation { return nil }
    }
    for gone in Self.gone(standing, report) {
      _ = try await registry.report(Self.endReport(of: gone, in: report), now: now)
    }
    waker.wake(Wakes(phones: [report.installation]))
    guard let phone = try await dispatch.phones(for: Wakes(phones: [report.installation]), now: now).first else {
      return nil
    }
    return instructions(for: report, phone: phone.view, now: now)
  }

  private func report(
    of activity: ReconcileReport.Activity, known: ActivityStanding?, in report: ReconcileReport, now: Instant
  ) -> ActivityReport {
    // An activity that was never reported was started by push when one is awaited: the store looks.
    var single = ActivityReport(
      order: activity.order, activityID: activity.id, revision: report.revision, installation: report.installation,
      attributesType: activity.attributesType, startedBy: known?.startedBy ?? .push, startedAt: known?.startedAt ?? now,
      state: activity.state)
    single.updateToken = activity.updateToken
    single.displayedSequence = activity.displayedSequence
    if activity.state == .ended || activity.state == .dismissed { single.cause = .unknown }
    return single
  }

  /// Cards that the rows hold as shown and the app does not find: gone, for a reason that nobody told (rule 5.2).
  private static func gone(_ standing: [ActivityStanding], _ report: ReconcileReport) -> [ActivityStanding] {
    let found = Set(report.activities.map(\.id))
    return standing.filter { $0.phase != .ended && !found.contains($0.activityID) }
  }

  private static func endReport(of gone: ActivityStanding, in report: ReconcileReport) -> ActivityReport {
    var single = ActivityReport(
      order: gone.order, activityID: gone.activityID, revision: report.revision, installation: report.installation,
      attributesType: gone.attributesType, startedBy: gone.startedBy, startedAt: gone.startedAt, state: .ended)
    single.cause = gone.phase == .ending ? .app : .unknown
    return single
  }

  private func instructions(for report: ReconcileReport, phone: PhoneView, now: Instant) -> [Instruction] {
    let views = Dictionary(phone.orders.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let shown = report.activities.filter { $0.state != .ended && $0.state != .dismissed }
    var answers = shown.enumerated().map { index, activity in
      let isOlder = shown.dropFirst(index + 1).contains { $0.order == activity.order }
      return instruction(for: activity, views[activity.order], isSecond: isOlder, now: now)
    }
    let covered = Set(shown.map(\.order))
    for view in phone.orders where !covered.contains(view.id) && mayStart(view, on: phone.installation) {
      answers.append(instruction(.start, view.id, activityID: nil, view.desired, now: now))
    }
    return answers
  }

  private func instruction(
    for activity: ReconcileReport.Activity, _ view: OrderView?, isSecond: Bool, now: Instant
  ) -> Instruction {
    let desired = view?.desired
    let action: Instruction.Action
    if isSecond || view?.withdrawn == true || desired?.stage.isTerminal == true {
      action = .end
    } else if let desired, activity.displayedSequence.map({ $0 < desired.sequence }) ?? true {
      action = .update
    } else {
      action = .keep
    }
    return instruction(action, activity.order, activityID: activity.id, desired, now: now)
  }

  private func instruction(
    _ action: Instruction.Action, _ order: OrderID, activityID: String?, _ snapshot: Snapshot?, now: Instant
  ) -> Instruction {
    let staleAt = snapshot.flatMap { settings.staleSeconds[$0.stage] }.map { now.advanced(by: $0) }
    return Instruction(
      action: action, order: order, activityID: activityID, snapshot: snapshot, staleAt: staleAt,
      relevance: snapshot?.relevance(now: now) ?? 0, at: now)
  }

  /// The app may start a card itself where none is, none is on its way, and the user has not taken it away.
  private func mayStart(_ view: OrderView, on installation: Installation) -> Bool {
    guard let desired = view.desired, !desired.stage.isTerminal, desired.stage >= settings.startStage else {
      return false
    }
    return installation.activitiesEnabled && !view.suppressed && !view.withdrawn
      && view.cards.allSatisfy { $0.phase == .ended }
  }
}
