import Domain
import Testing

/// docs/delivery-semantics.md 1.1 to 1.5.
struct TrackerTests {
  let now = Instant(seconds: 1_000_000)

  @Test func stagesFollowTheHighestSequence() {
    var delivery = Delivery(id: OrderID("o"))
    let applied = [
      delivery.take(.stage(.placed), 1, now), delivery.take(.stage(.pickedUp), 5, now),
      delivery.take(.stage(.preparing), 3, now),
    ]
    #expect(applied.map(\.verdict) == [.applied, .applied, .applied])
    #expect(applied.map(\.flags) == [[], .gap, []])
    #expect(delivery.stage == .pickedUp)
    #expect(delivery.began(.preparing) == now)
  }

  @Test func anEventAgainIsADuplicate() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.placed), 1, now) { $0.user = UserID("u") }
    let once = delivery
    let again = delivery.take(.stage(.placed), 1, now) { $0.user = UserID("u") }
    #expect(again == Applied(verdict: .duplicate))
    #expect(delivery == once)
  }

  @Test func anEventThatIsSaidByHigherOnesIsStale() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.accepted), 5, now) { $0.stopsBefore = 1 }
    delivery.take(.stage(.accepted), 6, now) { $0.stopsBefore = 1 }
    let late = delivery.take(.stage(.accepted), 4, now) { $0.stopsBefore = 3 }
    #expect(late.verdict == .stale)
    #expect(delivery.fields.stopsBefore.value == 1)
  }

  @Test func aLateEventFillsOnlyWhatNobodySaid() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.updated, 7, now) { $0.promisedAt = now }
    delivery.take(.stage(.placed), 1, now) {
      $0.promisedAt = .distantPast
      $0.user = UserID("u")
    }
    #expect(delivery.fields.promisedAt.value == now)
    #expect(delivery.user == UserID("u"))
  }

  @Test func oneSequenceWithTwoContentsIsDecidedByContentAndCounted() {
    let events: [OrderEvent] = [
      .make(.stage(.preparing), 3, at: now) { $0.stopsBefore = 1 },
      .make(.stage(.preparing), 3, at: now) { $0.stopsBefore = 2 },
    ]
    var results: [Delivery] = []
    for order in [[0, 1], [1, 0]] {
      var delivery = Delivery(id: OrderID("o"))
      let verdicts = order.map { Tracker.apply(events[$0], to: &delivery, now: now).verdict }
      #expect(verdicts == [.applied, .conflict])
      results.append(delivery)
    }
    #expect(results[0] == results[1])
  }

  @Test func betweenSpacesTimeDecidesThenRankThenName() {
    let early = now.advanced(by: -60)
    var delivery = Delivery(id: OrderID("o"))
    _ = Tracker.apply(.make(.updated, 900, at: early, space: orders) { $0.kind = "a" }, to: &delivery, now: now)
    _ = Tracker.apply(.make(.updated, 1, at: now, space: kitchen) { $0.kind = "b" }, to: &delivery, now: now)
    #expect(delivery.kind == "b")
    _ = Tracker.apply(.make(.updated, 901, at: now, space: orders) { $0.kind = "c" }, to: &delivery, now: now)
    #expect(delivery.kind == "c", "orders has the higher rank")
  }

  @Test func aTerminalStageBeatsHigherProgress() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.pickedUp), 5, now)
    delivery.take(.stage(.delivered), 6, now)
    let late = delivery.take(.stage(.pickedUp), 4, now)
    let faulty = delivery.take(.stage(.pickedUp), 8, now)
    #expect(delivery.stage == .delivered)
    #expect(late.flags == [])
    #expect(faulty.flags == [.gap, .illegalTransition])
  }

  @Test func aHigherTerminalCorrects() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.delivered), 6, now)
    let lower = delivery.take(.stage(.failed), 5, now)
    #expect(delivery.stage == .delivered)
    #expect(!lower.flags.contains(.correction))
    let higher = delivery.take(.stage(.cancelled), 7, now)
    #expect(delivery.stage == .cancelled)
    #expect(higher.flags.contains(.correction))
  }

  @Test func aReopeningUndoesOnlyLowerEnds() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.cancelled), 6, now)
    let reopened = delivery.take(.reopened(.preparing), 8, now)
    #expect(reopened.flags == [.gap, .reopened])
    #expect(delivery.stage == .preparing)
    #expect(delivery.finishedAt == nil)
    delivery.take(.stage(.failed), 7, now)
    #expect(delivery.stage == .preparing)
    delivery.take(.stage(.delivering), 9, now)
    #expect(delivery.stage == .delivering)
    delivery.take(.stage(.delivered), 10, now, ago: 5)
    #expect(delivery.stage == .delivered)
    #expect(delivery.finishedAt == now.advanced(by: -5))
  }

  @Test func aFutureTimeIsKeptAsGivenAndCounted() {
    var delivery = Delivery(id: OrderID("o"))
    let applied = delivery.take(.stage(.delivered), 2, now, ago: -360)
    #expect(applied.flags == .futureTime)
    #expect(delivery.finishedAt == now.advanced(by: 360))
    delivery.look(now)
    #expect(delivery.snapshot?.stageStarted == now)
  }

  @Test func hostileNumbersTrapNothing() {
    var delivery = Delivery(id: OrderID("o"))
    for sequence in [Int64.max, 1, .min, .max - 1] {
      for time in [Instant.distantPast, .distantFuture, now] {
        _ = Tracker.apply(
          .make(.stage(.accepted), sequence, at: time) { $0.stopsBefore = .max }, to: &delivery, now: now)
        delivery.look(now)
        delivery.look(.distantFuture)
      }
    }
    #expect(delivery.stage == .accepted)
  }

  @Test func forgettingIsForGood() {
    var delivery = Delivery(id: OrderID("o"))
    let rider = RiderInfo(id: RiderID("r"), name: "Lin")
    delivery.take(.riderAssigned, 1, now) {
      $0.rider = rider
      $0.destination = place()
      $0.attributes = ["note": "blue door"]
    }
    let forgotten = delivery.take(.forgotten, 1, now)
    delivery.take(.updated, 2, now) {
      $0.rider = rider
      $0.destination = place()
      $0.reason = "x"
    }
    #expect(forgotten.verdict == .applied)
    #expect(delivery.rider == RiderID("r"))
    #expect(delivery.riderDetails == nil)
    #expect(delivery.fields.destination.isEmpty && delivery.fields.reason.isEmpty && delivery.fields.attributes.isEmpty)
  }

  @Test func theRiderIsApartFromTheStage() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.preparing), 2, now)
    delivery.take(.riderAssigned, 3, now) { $0.rider = RiderInfo(id: RiderID("r-1"), name: "Lin") }
    #expect(delivery.stage == .preparing)
    #expect(delivery.rider == RiderID("r-1"))
    delivery.take(.riderUnassigned, 5, now)
    delivery.take(.stage(.ready), 4, now) { $0.rider = RiderInfo(id: RiderID("r-1")) }
    #expect(delivery.rider == nil, "a lower sequence brings nobody back")
    delivery.take(.stage(.ready), 6, now) { $0.rider = RiderInfo(id: RiderID("r-1")) }
    #expect(delivery.riderDetails?.name == "Lin", "the name is still the one of this rider")
  }
}
