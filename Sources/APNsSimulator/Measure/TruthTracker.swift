/// The stage that a perfect tracker would show for one order after all events published so far
/// (docs/delivery-semantics.md 1.1, 1.5): the highest sequence wins, the highest terminal event beats every
/// non-terminal one unless reopened later, and what was shown never goes back but by a reopening.
struct TruthTracker {
  private var open: (sequence: Int64, step: Step)?
  private var terminal: (sequence: Int64, step: Step)?
  private var reopened: Int64 = 0
  private(set) var shown: Step?
  /// Grows by one with each reopening that took effect.
  private(set) var epoch = 0

  /// Returns true when the shown stage or the epoch changed.
  mutating func apply(_ step: Step, sequence: Int64, reopens: Bool) -> Bool {
    let before = (shown, epoch)
    if reopens {
      if sequence > max(reopened, open?.sequence ?? 0, terminal?.sequence ?? 0) {
        epoch += 1
        shown = nil
      }
      reopened = max(reopened, sequence)
    }
    if step.isTerminal {
      if sequence > terminal?.sequence ?? 0 { terminal = (sequence, step) }
    } else if sequence > open?.sequence ?? 0 {
      open = (sequence, step)
    }
    latch()
    return before != (shown, epoch)
  }

  private mutating func latch() {
    if let terminal, terminal.sequence > reopened {
      shown = terminal.step
    } else if let open {
      shown = shown.map { max($0, open.step) } ?? open.step
    }
  }
}

/// One change of one order's truth.
struct TruthChange {
  var at: Moment
  var real: Moment
  var order: String
  var step: Step
  var epoch: Int

  /// All changes in the order of publishing.
  static func all(in published: [PublishedEvent]) -> [TruthChange] {
    var trackers: [String: TruthTracker] = [:]
    var changes: [TruthChange] = []
    let ordered = published.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    for (_, event) in ordered {
      guard !event.order.isEmpty, let sequence = event.sequence, let (step, reopens) = event.step else { continue }
      guard trackers[event.order, default: TruthTracker()].apply(step, sequence: sequence, reopens: reopens),
        let tracker = trackers[event.order], let shown = tracker.shown
      else { continue }
      changes.append(
        TruthChange(at: event.at, real: event.real, order: event.order, step: shown, epoch: tracker.epoch))
    }
    return changes
  }
}
