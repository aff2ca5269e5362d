import Service

/// The use cases that the routes call.
public struct APIServices: Sendable {
  public var registry: Registry
  public var reconciliation: Reconciliation
  public var administration: Administration
  public var explainer: Explainer
  public var rollout: RolloutBoard
  public var snapshots: SnapshotFeed
  public var clock: any Clock

  public init(
    registry: Registry, reconciliation: Reconciliation, administration: Administration, explainer: Explainer,
    rollout: RolloutBoard, snapshots: SnapshotFeed, clock: any Clock
  ) {
    self.registry = registry
    self.reconciliation = reconciliation
    self.administration = administration
    self.explainer = explainer
    self.rollout = rollout
    self.snapshots = snapshots
    self.clock = clock
  }
}
