import Domain
import Testing

/// How the shown arrival moves when nothing happens but time.
struct ArrivalTests {
  private let start = Instant(seconds: 1_000_000)

  /// A rider who stands still near the door while nobody says anything for so many minutes; looks as ingest does.
  private func wait(minutes: Int) -> (changes: Int, shortest: Double, delivery: Delivery) {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.riderAssigned, 1, start) {
      $0.rider = RiderInfo(id: RiderID("r"))
      $0.destination = place(north: 600)
    }
    delivery.take(.stage(.delivering), 2, start)
    var changes = 0
    var shortest = Double.infinity
    for second in stride(from: 0, through: minutes * 60, by: 5) {
      let now = start.advanced(by: Double(second))
      if delivery.look(now, rider: .at(fix(now))) != nil { changes += 1 }
      if let arrival = delivery.snapshot?.arrival { shortest = min(shortest, arrival.since(now)) }
      if let earliest = delivery.snapshot?.earliest, let latest = delivery.snapshot?.latest {
        #expect(earliest <= latest)
      }
    }
    return (changes, shortest, delivery)
  }

  @Test func theShownTimeNeverRunsOutAndWaitingIsNoReasonToPushEveryMinute() {
    let waited = wait(minutes: 20)
    #expect(waited.shortest >= 55, "looked at every 5 s, never under a minute by more")
    #expect(waited.changes <= 15, "at most one per dead band of 90 s")
  }

  @Test func lookingAgainIsDueBeforeTheShownTimeRunsOut() {
    var delivery = wait(minutes: 0).delivery
    var now = start
    for _ in 0..<50 {
      guard let refreshAt = delivery.refreshAt else {
        Issue.record("a running order is never looked at again")
        return
      }
      #expect(refreshAt > now)
      now = refreshAt
      delivery.look(now, rider: .at(fix(now)))
      #expect(delivery.snapshot?.arrival.map { $0.since(now) >= 60 } == true)
    }
  }

  @Test func smallNewsStaysInTheDeadBand() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.riderAssigned, 1, start) {
      $0.rider = RiderInfo(id: RiderID("r"))
      $0.destination = place(north: 6_000)
    }
    delivery.take(.stage(.delivering), 2, start)
    delivery.look(start, rider: .at(fix(start)))
    let now = start.advanced(by: 1)
    let near = delivery.look(now, rider: .at(fix(now, north: 250)))
    #expect(near == nil)
    let far = delivery.look(now.advanced(by: 1), rider: .at(fix(now.advanced(by: 1), north: 4_500)))
    #expect(far?.causes.contains(.arrival) == true)
  }

  /// Whatever numbers come in, what is shown is a number and in order.
  @Test(arguments: (1...200).map(UInt64.init)) func nothingShownIsNonsense(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var delivery = Delivery(id: OrderID("o"))
    var now = start
    var last: Snapshot?
    for sequence in 1...40 {
      now = now.advanced(by: Double.random(in: 0...300, using: &numbers))
      let stage = Stage.allCases.randomElement(using: &numbers) ?? .placed
      let time = [now, .distantPast, .distantFuture, now.advanced(by: -60)].randomElement(using: &numbers) ?? now
      let what: OrderHappening = numbers.chance(0.1) ? .reopened(.ready) : numbers.chance() ? .stage(stage) : .updated
      let event = OrderEvent.make(what, Int64(sequence), at: time) { changes in
        if numbers.chance(0.3) {
          changes.destination = place(north: Double.random(in: -9_000...9_000, using: &numbers))
        }
        if numbers.chance(0.3) { changes.rider = RiderInfo(id: RiderID("r"), name: " ") }
        if numbers.chance(0.2) { changes.stopsBefore = [-5, 0, 3, Int.max].randomElement(using: &numbers) }
        if numbers.chance(0.2) { changes.estimatedReadyAt = time }
        if numbers.chance(0.2) { changes.promisedAt = time }
      }
      _ = Tracker.apply(event, to: &delivery, now: now)
      delivery.look(now, rider: .at(fix(now, north: Double.random(in: -9_000...9_000, using: &numbers))))
      check(delivery.snapshot, after: last, now: now, seed: seed)
      last = delivery.snapshot
    }
  }

  private func check(_ snapshot: Snapshot?, after last: Snapshot?, now: Instant, seed: UInt64) {
    guard let snapshot else { return }
    #expect((0...1).contains(snapshot.progress), "seed \(seed)")
    #expect(snapshot.stageStarted <= now && snapshot.placed <= now, "seed \(seed)")
    #expect(snapshot.riderName == nil, "seed \(seed): a blank name is no name")
    if let arrival = snapshot.arrival {
      #expect(snapshot.earliest.map { $0 <= arrival } ?? true, "seed \(seed)")
      #expect(snapshot.latest.map { $0 >= arrival } ?? true, "seed \(seed)")
      #expect(!snapshot.stage.isTerminal, "seed \(seed)")
    }
    guard let last else { return }
    #expect(snapshot == last || snapshot.sequence > last.sequence, "seed \(seed)")
    if snapshot.life == last.life { #expect(snapshot.progress >= last.progress, "seed \(seed)") }
  }
}
