import Domain

/// docs/state-machine.md, written from the table of transitions.
enum StateMachineDocument {
  static var text: String {
    """
    # The stages of an order

    <!-- Made by the DomainTests from the table of transitions: do not edit by hand. -->

    An order's stage is the highest terminal event that no higher reopening undoes; else the newest of all progress
    (rules 1.1 and 1.5 of [delivery semantics](delivery-semantics.md)). The arrows are the legal steps. A step that is
    not among them is counted (`illegalTransition`) and shown by `explain`, but never refused: refusing it would make
    the state depend on the order of arrival. Terminal stages may be corrected by one another (`correction`), and
    `order.reopened` leads from any of them back to the stage that it names. What a phone shows never goes back along
    the rows of the table, except by a reopening, which begins a new life of the order.

    ```mermaid
    stateDiagram-v2
      [*] --> placed
    \(arrows)
    ```

    | stage | legal next stages | rider |
    | --- | --- | --- |
    \(rows)

    The rider is orthogonal to preparation: `order.rider_assigned`, `order.rider_unassigned` and `order.rider_at_store`
    may come at any stage before the end and change the rider's phase only.

    """
  }

  private static var arrows: String {
    var lines: [String] = []
    for stage in Stage.allCases {
      for next in Transitions.legal(from: stage) { lines.append("  \(stage.name) --> \(next.name)") }
      if stage.isTerminal { lines.append("  \(stage.name) --> [*]") }
    }
    return lines.joined(separator: "\n")
  }

  private static var rows: String {
    Stage.allCases.map { stage in
      let next = Transitions.legal(from: stage).map { "`\($0.name)`" }.joined(separator: ", ")
      let rider: String
      switch stage {
      case .placed, .accepted, .preparing, .ready: rider = "`none`, `assigned` or `atStore`"
      case .pickedUp, .delivering, .arriving, .returning: rider = "`carrying`"
      default: rider = "`none`"
      }
      return "| `\(stage.name)` | \(next.isEmpty ? "terminal" : next) | \(rider) |"
    }.joined(separator: "\n")
  }
}
