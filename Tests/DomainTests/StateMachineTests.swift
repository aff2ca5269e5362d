import Domain
import Foundation
import Testing

struct StateMachineTests {
  private let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/state-machine.md")

  /// `UPDATE_DOCS=1 swift test --filter StateMachineTests` writes it anew.
  @Test func theDocumentSaysWhatTheTableSays() throws {
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
      try StateMachineDocument.text.write(to: path, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: path, encoding: .utf8) == StateMachineDocument.text
    #expect(isCurrent, "docs/state-machine.md has drifted; run with UPDATE_DOCS=1 to write it anew")
  }

  @Test func everyStageIsReachedByLegalSteps() {
    var reached: Set<Stage> = [.placed]
    for _ in Stage.allCases { reached.formUnion(reached.flatMap(Transitions.legal(from:))) }
    #expect(reached == Set(Stage.allCases))
  }

  @Test func terminalStagesLeadNowhereByThemselves() {
    for stage in Stage.allCases { #expect(Transitions.legal(from: stage).isEmpty == stage.isTerminal) }
  }

  /// The table only remarks: each of the 144 steps is taken by the state as its sequence says.
  @Test(arguments: Stage.allCases) func everyStepIsTakenAndRemarkedOn(from: Stage) {
    let now = Instant(seconds: 1_000)
    for to in Stage.allCases {
      var delivery = Delivery(id: OrderID("o"))
      delivery.take(.stage(from), 1, now)
      let applied = delivery.take(.stage(to), 2, now)
      #expect(applied.verdict == .applied)
      #expect(delivery.stage == (from.isTerminal && !to.isTerminal ? from : to))
      #expect(applied.flags.contains(.illegalTransition) == !Transitions.isLegal(from: from, to: to))
      #expect(applied.flags.contains(.correction) == (from.isTerminal && to.isTerminal && from != to))
    }
  }
}
