import Domain
import Testing

/// Whatever happens to a phone, the policy keeps its promises (docs/delivery-semantics.md 3 to 5).
struct PolicyPropertyTests {
  @Test(arguments: (1...300).map(UInt64.init)) func everyPromiseIsKept(seed: UInt64) {
    var world = PolicyWorld(seed: seed)
    world.run(steps: 200)
    let isKept = world.broken.isEmpty
    #expect(isKept, "seed \(seed): \(Set(world.broken).sorted())")
  }

  @Test func theseWorldsAreNotDull() {
    var fired: Set<String> = []
    for seed in 1...100 {
      var world = PolicyWorld(seed: UInt64(seed))
      world.run(steps: 200)
      fired.formUnion(world.fired)
    }
    let wanted: Set<String> = [
      "noCard", "renewal", "stageChanged", "contentChanged", "heartbeat", "orderFinished", "finalStateChanged",
      "endRepeated", "lost", "cardExpiring", "milestone", "unconfirmed", "suppressed", "cardGone",
    ]
    #expect(wanted.subtracting(fired).isEmpty)
  }

  /// Accepted pushes alone bring a phone to rest: nothing is said for ever.
  @Test(arguments: (1...50).map(UInt64.init)) func thePolicyComesToRest(seed: UInt64) {
    var world = PolicyWorld(seed: seed)
    world.run(steps: 100)
    var pushes = 0
    while let plan = world.policy.decide(world.view, now: world.now).plan, pushes < 20 {
      pushes += 1
      world.accept(plan)
    }
    #expect(pushes < 20, "seed \(seed)")
  }

  @Test func theSameViewGivesTheSameDecision() {
    for seed in 1...20 {
      var world = PolicyWorld(seed: UInt64(seed))
      world.run(steps: 50)
      let decisions = (0..<3).map { _ in world.policy.decide(world.view, now: world.now) }
      #expect(decisions.allSatisfy { $0 == decisions[0] })
      var shuffled = world.view
      shuffled.orders.reverse()
      #expect(world.policy.decide(shuffled, now: world.now) == decisions[0])
    }
  }
}
