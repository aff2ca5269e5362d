import Domain
import Testing

/// What phones should show: docs/delivery-semantics.md 1.3 and 1.5.
struct PresenterTests {
  private let start = Instant(seconds: 1_000_000)
  private func at(_ seconds: Double) -> Instant { start.advanced(by: seconds) }

  private func placed() -> Delivery {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.placed), 1, start) {
      $0.store = StoreInfo(id: "s", name: "  Noodles  ", location: place())
      $0.destination = place(north: 3_000)
      $0.promisedAt = at(2_400)
    }
    delivery.look(start)
    return delivery
  }

  private func underWay() -> Delivery {
    var delivery = placed()
    delivery.take(.riderAssigned, 2, at(10)) { $0.rider = RiderInfo(id: RiderID("r"), name: "Lin Wei") }
    delivery.take(.stage(.delivering), 3, at(600))
    delivery.look(at(600), rider: .at(fix(at(600), north: 100)))
    return delivery
  }

  @Test func nothingIsShownBeforeAnythingIsKnown() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.updated, 1, start) { $0.user = UserID("u") }
    #expect(delivery.look(start) == nil)
    #expect(delivery.snapshot == nil && delivery.refreshAt == nil)
  }

  @Test func theFirstSnapshotIsComplete() throws {
    let snapshot = try #require(placed().snapshot)
    #expect(snapshot.stage == .placed && snapshot.life == 0 && snapshot.placed == start)
    #expect(snapshot.sequence == start.milliseconds)
    #expect(snapshot.storeName == "Noodles")
    let arrival = try #require(snapshot.arrival)
    #expect(snapshot.earliest.map { $0 <= arrival } == true && snapshot.latest.map { $0 >= arrival } == true)
  }

  @Test func aSequenceIsNeverBelowItsPredecessorWhateverTheClock() throws {
    var delivery = placed()
    let first = try #require(delivery.snapshot?.sequence)
    delivery.take(.stage(.accepted), 2, at(-600))
    delivery.look(at(-600))
    #expect(delivery.snapshot?.sequence == first + 1)
  }

  @Test func whatWasShownNeverGoesBack() throws {
    var delivery = underWay()
    let progress = try #require(delivery.snapshot?.progress)
    delivery.take(.stage(.preparing), 9, at(610))
    #expect(delivery.stage == .preparing)
    delivery.look(at(610))
    #expect(delivery.snapshot?.stage == .delivering)
    #expect(delivery.snapshot.map { $0.progress >= progress } == true)
  }

  @Test func aReopeningBeginsANewLife() throws {
    var delivery = underWay()
    delivery.take(.stage(.cancelled), 10, at(700))
    delivery.look(at(700))
    let ended = try #require(delivery.snapshot)
    #expect(ended.stage == .cancelled && ended.arrival == nil && ended.riderName == nil)
    #expect(delivery.refreshAt == nil)
    delivery.take(.reopened(.preparing), 11, at(800))
    let change = delivery.look(at(800))
    let snapshot = try #require(delivery.snapshot)
    #expect(change?.causes.contains(.stage) == true)
    #expect(snapshot.life == 1 && snapshot.stage == .preparing && snapshot.sequence > ended.sequence)
    #expect(snapshot.placed == at(800) && snapshot.progress < ended.progress + 0.01)
  }

  @Test func aCorrectedEndIsShown() {
    var delivery = placed()
    delivery.take(.stage(.cancelled), 5, at(10))
    delivery.look(at(10))
    delivery.take(.stage(.delivered), 6, at(20)) { $0.deliveredAt = at(15) }
    let change = delivery.look(at(20))
    #expect(change?.causes.contains(.stage) == true)
    #expect(delivery.snapshot?.stage == .delivered && delivery.snapshot?.progress == 1)
    #expect(delivery.finishedAt == at(15))
  }

  @Test(arguments: zip(PresentationSettings.NameStyle.allCases, ["Lin Wei", "Lin", nil]))
  func theRidersNameIsShownAsConfigured(style: PresentationSettings.NameStyle, shown: String?) {
    var settings = PresentationSettings()
    settings.riderName = style
    var delivery = placed()
    delivery.take(.riderAssigned, 2, at(1)) { $0.rider = RiderInfo(id: RiderID("r"), name: " Lin Wei ") }
    let change = delivery.look(at(1), settings: settings)
    #expect(delivery.snapshot?.riderName == shown)
    #expect(change?.causes.contains(.riderPhase) == true)
  }

  @Test func theRidersPhaseFollowsAssignmentAndStage() {
    var delivery = placed()
    var phases: [RiderPhase?] = []
    let steps: [(OrderHappening, RiderID?)] = [
      (.riderAssigned, RiderID("r-1")), (.riderAtStore, nil), (.riderAssigned, RiderID("r-2")), (.riderUnassigned, nil),
      (.riderAssigned, RiderID("r-1")), (.stage(.pickedUp), nil), (.stage(.delivered), nil),
    ]
    for (index, (what, rider)) in steps.enumerated() {
      delivery.take(what, Int64(index + 2), at(Double(index))) { $0.rider = rider.map { RiderInfo(id: $0) } }
      delivery.look(at(Double(index)))
      phases.append(delivery.snapshot?.riderPhase)
    }
    #expect(phases == [.assigned, .atStore, .assigned, RiderPhase.none, .assigned, .carrying, RiderPhase.none])
  }

  /// One order, two riders: the former one's positions do not count, nor those from before the assignment.
  @Test func onlyTheCurrentRidersPositionsSinceTheAssignmentCount() {
    var delivery = underWay()
    delivery.take(.riderAssigned, 5, at(700)) { $0.rider = RiderInfo(id: RiderID("r-2"), name: "Ana") }
    delivery.look(at(700), rider: .at(fix(at(699), north: 100), id: "r"))
    #expect(delivery.snapshot?.remainingMeters == nil && delivery.snapshot?.riderName == "Ana")
    delivery.take(.riderAssigned, 6, at(710)) { $0.rider = RiderInfo(id: RiderID("r"), name: "Lin") }
    delivery.look(at(710), rider: .at(fix(at(699), north: 100), id: "r"))
    #expect(delivery.snapshot?.remainingMeters == nil, "a fix from before the new assignment")
    delivery.take(.updated, 7, at(720)) { $0.stopsBefore = 1 }
    delivery.look(at(720), rider: .at(fix(at(715), north: 100), id: "r"))
    #expect(delivery.snapshot?.remainingMeters != nil)
    delivery.take(.riderUnassigned, 8, at(730))
    delivery.look(at(730), rider: .at(fix(at(725), north: 100), id: "r"))
    #expect(delivery.snapshot?.riderName == nil && delivery.snapshot?.remainingMeters == nil)
    #expect(delivery.snapshot?.arrival != nil, "the plan still gives an arrival")
  }

  @Test func arrivingIsDerivedNearTheDoorAndStays() {
    var delivery = underWay()
    delivery.look(at(900), rider: .at(fix(at(900), north: 2_800)))
    #expect(delivery.snapshot?.stage == .delivering, "a single position decides nothing")
    let change = delivery.look(at(905), rider: .at(fix(at(905), north: 2_850)))
    #expect(change?.causes.contains(.stage) == true)
    #expect(delivery.snapshot?.stage == .arriving && delivery.snapshot?.stageStarted == at(905))
    delivery.look(at(960), rider: .at(fix(at(960), north: 1_000)))
    delivery.take(.stage(.delivering), 9, at(970))
    delivery.look(at(970), rider: .at(fix(at(965), north: 1_000)))
    #expect(delivery.snapshot?.stage == .arriving)
  }

  @Test func noiseAtTheEdgeDoesNotRestartTheCountAndLeavingDoes() {
    var delivery = underWay()
    delivery.look(at(900), rider: .at(fix(at(900), north: 2_760)))
    delivery.look(at(903), rider: .at(fix(at(903), north: 2_700)))
    #expect(delivery.latch.nearSince == at(900), "300 m is neither near nor gone")
    delivery.look(at(905), rider: .at(fix(at(905), north: 2_500)))
    #expect(delivery.latch.nearSince == nil)
    delivery.look(at(906), rider: .at(fix(at(906), north: 2_800)))
    #expect(delivery.snapshot?.stage == .delivering)
  }

  @Test func othersComeFirst() {
    var delivery = underWay()
    for second in [900.0, 910] { delivery.look(at(second), rider: .at(fix(at(second), north: 2_900)), dropsBefore: 1) }
    #expect(delivery.snapshot?.stage == .delivering && delivery.snapshot?.stopsBefore == 1)
    for second in [920.0, 930] { delivery.look(at(second), rider: .at(fix(at(second), north: 2_900))) }
    #expect(delivery.snapshot?.stage == .arriving && delivery.snapshot?.stopsBefore == nil)
  }

  @Test func dropsAreCountedInTheOrderOfPickUp() {
    let deliveries = (1...4).map { index in
      var delivery = Delivery(id: OrderID("o-\(index)"))
      delivery.take(.riderAssigned, 1, at(0)) { $0.rider = RiderInfo(id: RiderID(index == 4 ? "r-2" : "r-1")) }
      delivery.take(.stage(.pickedUp), 2, at(Double(10 - index)))
      return delivery
    }
    #expect(deliveries.map { DropOrder.dropsBefore($0, among: deliveries) } == [2, 1, 0, 0])
  }

  @Test func anOrderForTomorrowShowsItsWindow() throws {
    var delivery = Delivery(id: OrderID("o"))
    let window = try #require(ScheduleWindow(from: at(86_400), to: at(88_200)))
    delivery.take(.stage(.placed), 1, start) { $0.schedule = window }
    delivery.look(start)
    #expect(delivery.snapshot?.arrival == nil)
    #expect(delivery.snapshot?.earliest == window.from && delivery.snapshot?.latest == window.to)
    #expect(delivery.refreshAt == window.from.advanced(by: -3_600))
    delivery.look(at(86_400 - 3_600))
    #expect(delivery.snapshot?.arrival != nil)
  }

  @Test func anAddressFarAwayMovesTheArrivalOnceAndANearOneDoesNot() throws {
    var delivery = underWay()
    let before = try #require(delivery.snapshot)
    delivery.take(.updated, 5, at(610)) { $0.destination = place(north: 3_030) }
    #expect(delivery.look(at(610), rider: .at(fix(at(605), north: 120))) == nil)
    delivery.take(.updated, 6, at(620)) { $0.destination = place(north: 9_000) }
    let change = delivery.look(at(620), rider: .at(fix(at(615), north: 150)))
    #expect(change?.causes == .arrival)
    let after = try #require(delivery.snapshot)
    #expect(after.progress >= before.progress)
    #expect(delivery.look(at(621), rider: .at(fix(at(615), north: 150))) == nil)
  }

  @Test func aPickupOrderHasNoArrivalOnceItIsReady() {
    var delivery = Delivery(id: OrderID("o"))
    delivery.take(.stage(.preparing), 1, start) { $0.kind = "pickup" }
    delivery.look(start)
    #expect(delivery.snapshot?.arrival != nil)
    delivery.take(.stage(.ready), 2, at(60))
    delivery.look(at(60))
    #expect(delivery.snapshot?.arrival == nil && delivery.snapshot?.stage == .ready)
  }

  @Test func lateOrdersAreCalledDelayedByTheLimit() {
    for (minutesLate, isDelayed) in [(5.0, false), (5.1, true)] {
      var delivery = Delivery(id: OrderID("o"))
      delivery.take(.stage(.delivered), 1, at(minutesLate * 60)) { $0.promisedAt = start }
      delivery.look(at(minutesLate * 60))
      #expect(delivery.snapshot?.isDelayed == isDelayed)
    }
  }

  @Test func theCauseIsDatedByItsEvent() {
    var delivery = placed()
    delivery.take(.stage(.accepted), 2, at(1_000), ago: 900)
    #expect(delivery.look(at(1_000))?.causeTime == at(100))
  }
}
