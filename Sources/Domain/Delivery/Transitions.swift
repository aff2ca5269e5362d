/// The one table of legal steps from stage to stage: the source for `Tracker`'s flag and docs/state-machine.md.
///
/// Legality only flags a step; it never decides what the state is (docs/delivery-semantics.md 1.1).
public enum Transitions {
  public static func legal(from stage: Stage) -> [Stage] {
    switch stage {
    case .placed: [.accepted, .preparing, .ready, .pickedUp, .cancelled, .failed]
    case .accepted: [.preparing, .ready, .pickedUp, .cancelled, .failed]
    case .preparing: [.ready, .pickedUp, .cancelled, .failed]
    case .ready: [.pickedUp, .delivered, .cancelled, .failed]
    case .pickedUp: [.delivering, .arriving, .returning, .delivered, .cancelled, .failed]
    case .delivering: [.arriving, .returning, .delivered, .cancelled, .failed]
    case .arriving: [.returning, .delivered, .cancelled, .failed]
    case .returning: [.delivering, .cancelled, .failed, .returned]
    case .delivered, .cancelled, .failed, .returned: []
    }
  }

  /// A correction of one terminal stage by another: legal, and counted apart.
  public static func isCorrection(from: Stage, to: Stage) -> Bool { from.isTerminal && to.isTerminal && from != to }

  public static func isLegal(from: Stage, to: Stage) -> Bool {
    from == to || legal(from: from).contains(to) || isCorrection(from: from, to: to)
  }
}
