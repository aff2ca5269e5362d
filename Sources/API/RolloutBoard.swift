import Runtime
import Service

/// The roll-out in force on this replica. Operators change it; other replicas read the change with `refresh`.
public final class RolloutBoard: RolloutSource {
  private let held: Lock<Rollout>

  /// - Parameter configured: what counts while no operator has set anything.
  public init(_ configured: Rollout = Rollout()) { held = Lock(configured) }

  public var current: Rollout { held.withLock { $0 } }

  func set(_ rollout: Rollout) {
    held.withLock { held in
      let appModes = held.appModes
      held = rollout
      held.appModes = appModes
    }
  }

  /// Takes over what an operator set on any replica; to be called every few seconds, and once before the start.
  public func refresh(from administration: Administration) async throws {
    if let stored = try await administration.rollout() { set(stored) }
  }
}
