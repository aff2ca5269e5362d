import FoundationEssentials
import Testing

@testable import APNsSimulator

/// The figures of docs/delivery-semantics.md 7, on runs whose truth is known by construction.
@Suite struct OracleTests {
  /// One phone with its own card, told everything a second late at most.
  private func goodRun() throws -> Bench {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    for (sequence, (type, stage)) in [
      ("order.accepted", "accepted"), ("order.preparing", "preparing"), ("order.picked_up", "pickedUp"),
      ("order.delivering", "delivering"),
    ].enumerated() {
      bench.publish(type, sequence: sequence + 2)
      bench.run(0.5)
      try bench.tell(phone, stage, sequence: sequence + 2)
      bench.run(100)
    }
    bench.publish("order.delivered", sequence: 9)
    bench.run(0.5)
    try bench.tell(phone, "delivered", sequence: 9, event: "end")
    bench.run(100)
    return bench
  }

  @Test func aGoodRunIsPerfect() throws {
    let bench = try goodRun()
    let figures = bench.world.finish()
    #expect(figures.serverTruthMillionths == 1_000_000)
    #expect(figures.coverageMillionths == 1_000_000)
    #expect(figures.sums.serverWrong == .zero)
    #expect(figures.sums.timesToTruth.map(\.micros) == Array(repeating: 500_000, count: 5))
    #expect(figures.pushes == ["update": 4, "end": 1])
    #expect(
      [figures.regressionsShown, figures.duplicateCards, figures.orphanCards, figures.endsUntold, figures.eventsLost]
        == [0, 0, 0, 0, 0])
  }

  @Test func lateNewsIsLostTruthAfterTheGrace() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    bench.run(95)
    bench.publish("order.accepted", sequence: 2)
    bench.run(11)
    try bench.tell(phone, "accepted", sequence: 2)
    bench.run(90)
    let figures = bench.world.finish()
    #expect(figures.sums.serverWrong == .seconds(10), "11 s less 1 s of grace")
    #expect(figures.sums.losses["server"] == .seconds(10))
    #expect(figures.sums.timesToTruth == [.seconds(11)])
  }

  @Test func whatThePhoneDelaysIsNotTheServersLoss() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard { $0.behaviour.batchSeconds = 50 }
    bench.publish("order.accepted", sequence: 2)
    try bench.tell(phone, "accepted", sequence: 2, headers: ["apns-priority": "5"])
    bench.run(100)
    let figures = bench.world.finish()
    #expect(figures.sums.serverWrong == .zero)
    #expect(figures.sums.losses.keys.contains("batching"))
    #expect(figures.sums.screenWrong == figures.sums.losses["batching"])
  }

  @Test func aRegressionIsSeen() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    try bench.tell(phone, "delivering", sequence: 5)
    bench.run(10)
    try bench.tell(phone, "preparing", sequence: 6)
    bench.run(10)
    #expect(bench.world.finish().regressionsShown == 1)
  }

  @Test func aReopenedOrderMayBeginAnew() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    bench.publish("order.delivered", sequence: 2)
    try bench.tell(phone, "delivered", sequence: 2)
    bench.run(10)
    bench.publish("order.reopened", sequence: 3, stage: "preparing")
    try bench.tell(phone, "preparing", sequence: 3)
    bench.run(100)
    let figures = bench.world.finish()
    #expect(figures.regressionsShown == 0)
    #expect(figures.sums.serverWrong == .zero)
  }

  @Test func twoCardsForOverAMinuteAreADuplicate() throws {
    for (seconds, duplicates) in [(50.0, 0), (80.0, 1)] {
      let bench = try Bench()
      bench.publish("order.placed", sequence: 1)
      let phone = try bench.phoneWithCard()
      try bench.start(phone)
      bench.run(10)
      bench.run(seconds)
      try bench.tell(phone, "accepted", event: "end", extra: #","dismissal-date":0"#)
      bench.run(200)
      #expect(bench.world.finish().duplicateCards == duplicates)
    }
  }

  @Test func aCardThatOutlivesItsOrderIsAnOrphan() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    bench.publish("order.delivered", sequence: 2)
    try bench.tell(phone, "delivered", sequence: 2)
    bench.run(90)
    let figures = bench.world.finish()
    #expect(figures.orphanCards == 1)
    #expect(figures.endsUntold == 1)
    #expect(figures.eventsLost == 0)
  }

  @Test func aTruthThatIsNeverToldIsALostEvent() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    _ = try bench.phoneWithCard()
    bench.publish("order.cancelled", sequence: 2)
    bench.run(90)
    let figures = bench.world.finish()
    #expect(figures.eventsLost == 1)
    #expect(figures.sums.ringsMissed == 1)
  }

  @Test func aMilestoneMayRingOnce() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    bench.publish("order.arriving", sequence: 2)
    for _ in 0..<2 {
      try bench.tell(phone, "arriving", sequence: 2, extra: #","alert":{"title":"Near"}"#)
      bench.run(10)
    }
    #expect(bench.world.finish().ringsTwice == 1)
  }

  @Test func noCardThoughOneCouldBeStartedIsNotCovered() throws {
    let bench = try Bench()
    _ = try bench.phone()
    bench.publish("order.placed", sequence: 1)
    try bench.place("o-1", by: nil)
    bench.run(106)
    let figures = bench.world.finish()
    #expect(figures.sums.reachable == .seconds(100), "106 s less 5 s hold-off and 1 s grace")
    #expect(figures.coverageMillionths == 0)
  }

  @Test func aPhoneThatComesLongAfterTheLastChangeWaitsForTheNext() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    bench.run(700)
    _ = try bench.phone()
    try bench.place("o-1", by: nil)
    bench.run(100)
    #expect(bench.world.report().sums.reachable == .zero)
    #expect(bench.world.report().sums.unreachable.keys.contains("noFreshCause"))
    bench.publish("order.accepted", sequence: 2)
    bench.run(100)
    #expect(bench.world.report().sums.reachable == .seconds(100))
  }

  @Test func excludedWindowsAreNotCounted() throws {
    let bench = try Bench()
    bench.publish("order.placed", sequence: 1)
    let phone = try bench.phoneWithCard()
    bench.publish("order.accepted", sequence: 2)
    let from = bench.now
    bench.run(30)
    try bench.tell(phone, "accepted", sequence: 2)
    bench.run(30)
    #expect(bench.world.report().sums.serverWrong == .seconds(29))
    bench.world.excludeTruth(from: from, until: from + .seconds(40))
    #expect(bench.world.report().sums.serverWrong == .zero)
    #expect(bench.world.report().sums.wrongAfterFaults == 0)
    bench.world.excludeTruth(from: from, until: from + .seconds(20))
    #expect(bench.world.report().sums.wrongAfterFaults == 1, "10 s before it was told")
  }

  @Test func publishingOrderDoesNotMatterForTheEnd() {
    var random = SeededRandom(seed: 42)
    let events: [(Step, Int64)] = [(.placed, 1), (.accepted, 2), (.pickedUp, 3), (.cancelled, 5), (.arriving, 4)]
    for _ in 0..<100 {
      var tracker = TruthTracker()
      for (step, sequence) in events.shuffled(using: &random) {
        _ = tracker.apply(step, sequence: sequence, reopens: false)
      }
      #expect(tracker.shown == .cancelled)
    }
  }
}
