import Domain
import Testing

/// Ends, lost and withdrawn orders: docs/delivery-semantics.md 3.6, 4.5, 5.7, 5.8.
struct EndPolicyTests {
  private func finished(_ stage: Stage = .delivered) -> PhoneScene {
    var scene = PhoneScene(stage)
    scene.order.desired = PhoneScene.snapshot(stage, sequence: 200)
    scene.order.finishedAt = scene.now
    scene.order.cards = [PhoneScene.card(told: .arriving)]
    return scene
  }

  @Test func aFinishedOrderEndsItsCardWithTheFinalState() throws {
    let scene = finished()
    let plan = try #require(scene.plan)
    #expect(plan.event == .end(repeated: false) && plan.rule == "orderFinished" && plan.urgency == .end)
    #expect(plan.priority == 10 && plan.ring == nil && plan.staleAt == nil)
    #expect(plan.dismissAt == scene.now.advanced(by: 900))
    #expect(plan.expiration == PhoneScene.start.advanced(by: -300 + 8 * 3_600))
  }

  @Test func anEndGoesAtPriorityFiveWhenTheBucketIsEmptyAndNeverWaits() {
    var scene = finished()
    scene.budget = PhoneBudget(bucket: 0.5, bucketAt: scene.now)
    #expect(scene.plan?.event == .end(repeated: false) && scene.plan?.priority == 5)
  }

  @Test(arguments: [(0.0, 0.0), (900, 900), (86_400, 14_400)])
  func theStayOnTheLockScreenIsAtMostFourHours(setting: Double, seconds: Double) {
    var scene = finished()
    scene.settings.dismissalSeconds[.delivered] = setting
    #expect(scene.plan?.dismissAt == scene.now.advanced(by: seconds))
    scene.settings.dismissalSeconds[.delivered] = nil
    #expect(scene.plan?.dismissAt == nil)
  }

  /// Accepted ends are said again after about 1, 10 and 60 minutes and before the card's 8 hours are over.
  @Test func anAcceptedEndIsRepeatedUntilTheCardIsOver() {
    var scene = finished()
    var card = PhoneScene.card(1, .ending, told: .delivered, sequence: 200, startedAgo: 0)
    card.endsTold = 1
    card.endToldAt = scene.now
    var repeats: [Double] = []
    while repeats.count < 10 {
      scene.order.cards = [card]
      let decision = scene.decide()
      if let plan = decision.plan {
        #expect(plan.event == .end(repeated: true) && plan.priority == 5 && plan.ring == nil)
        repeats.append(scene.now.since(PhoneScene.start))
        card.endsTold += 1
        card.endToldAt = scene.now
      } else if let next = decision.lookAgainAt {
        scene.now = next
      } else {
        break
      }
    }
    #expect(repeats == [60, 600, 3_600, 8 * 3_600 - 120])
  }

  @Test func aKnownEndIsNotRepeated() {
    var scene = finished()
    scene.order.cards = [PhoneScene.card(1, .ended, told: .delivered, sequence: 200)]
    let decision = scene.decide()
    #expect(decision.plan == nil && decision.lookAgainAt == nil && scene.rule == "cardEnded")
  }

  @Test func aCorrectedFinalStateIsToldAgain() throws {
    var scene = finished(.cancelled)
    var card = PhoneScene.card(1, .ending, told: .delivered, sequence: 150)
    card.endsTold = 1
    card.endToldAt = scene.now
    scene.order.cards = [card]
    scene.order.rung = [.cancelled]
    let plan = try #require(scene.plan)
    #expect(plan.rule == "finalStateChanged" && plan.event == .end(repeated: false))
  }

  @Test func aCancellationRingsBesideItsSilentEnd() {
    var scene = finished(.cancelled)
    #expect(scene.plan?.event == .end(repeated: false) && scene.plan?.ring == nil)
    var card = PhoneScene.card(1, .ending, told: .cancelled, sequence: 200)
    card.endsTold = 1
    card.endToldAt = scene.now
    scene.order.cards = [card]
    #expect(scene.plan?.event == .alert && scene.plan?.ring == .cancelled)
    scene.order.rung = [.cancelled]
    #expect(scene.plan == nil)
  }

  @Test func aDeliveryThatItsCardShowedIsNotAnnouncedAgain() {
    var scene = finished()
    var card = PhoneScene.card(1, .ending, told: .delivered, sequence: 200)
    card.endsTold = 1
    card.endToldAt = scene.now
    scene.order.cards = [card]
    #expect(scene.plan == nil && scene.rule == "endRepeatDue")
    scene.order.cards = [PhoneScene.card(1, .ended, told: .arriving)]
    scene.order.suppressed = true
    #expect(scene.plan?.event == .alert, "a card swiped away before shows nothing")
  }

  @Test func aSilentOrderIsLostAndItsCardLeavesAtOnce() throws {
    var scene = PhoneScene(.delivering)
    scene.order.cards = [PhoneScene.card(told: .delivering, startedAgo: 3 * 3_600)]
    scene.order.heardAt = scene.now.advanced(by: -3 * 3_600 + 1)
    #expect(scene.kind != .end && scene.decide().lookAgainAt == scene.now.advanced(by: 1))
    scene.now = scene.now.advanced(by: 1)
    let plan = try #require(scene.plan)
    #expect(plan.event == .end(repeated: false) && plan.rule == "lost")
    #expect(plan.dismissAt.map { $0 < scene.now } == true)
    scene.order.cards = []
    #expect(scene.plan == nil && scene.rule == "lost")
  }

  @Test func aScheduledOrderIsNotLostBeforeItsLeadTime() {
    var scene = PhoneScene(.placed)
    let from = scene.now.advanced(by: 86_400)
    scene.order.schedule = ScheduleWindow(from: from, to: from.advanced(by: 1_800))
    scene.order.heardAt = scene.now.advanced(by: -86_400)
    #expect(scene.rule == "scheduled")
    scene.now = from.advanced(by: -3_600 + 3 * 3_600)
    #expect(scene.rule == "lost")
  }

  @Test func aSecondRegisteredCardEndsTheOlderOne() throws {
    var scene = PhoneScene()
    scene.order.cards = [PhoneScene.card(1), PhoneScene.card(2)]
    let plan = try #require(scene.plan)
    #expect(plan.rule == "secondCard" && plan.generation == 1)
    scene.order.cards[1].updateToken = nil
    #expect(scene.plan == nil, "the older one goes only when the newer can be told")
  }

  @Test func aPhoneThatLeftTheUserLosesItsCards() throws {
    var scene = PhoneScene()
    scene.order.cards = [PhoneScene.card()]
    scene.order.withdrawn = true
    let plan = try #require(scene.plan)
    #expect(plan.rule == "withdrawn" && plan.dismissAt.map { $0 < scene.now } == true)
    scene.order.cards = []
    #expect(scene.plan == nil, "nothing is started or rung for somebody else's order")
  }

  @Test func anUnregisteredCardOfAFinishedOrderIsAskedForThenEnded() {
    var scene = finished()
    scene.order.cards = [PhoneScene.card(1, .unconfirmed, told: nil, startedAgo: 50, hasToken: false)]
    #expect(scene.plan?.event == .wakeApp)
    scene.order.cards[0].wokenAt = scene.now
    #expect(scene.plan?.event == .alert && scene.plan?.ring == .delivered)
    scene.order.cards[0].phase = .active
    scene.order.cards[0].updateToken = PhoneScene.token
    #expect(scene.plan?.event == .end(repeated: false))
  }

  /// The end of an earlier life's card may have been lost: it is repeated while the order runs again.
  @Test func theEndOfAnEarlierLifeIsStillRepeated() throws {
    var scene = PhoneScene()
    scene.order.desired = PhoneScene.snapshot(.preparing, sequence: 300, life: 1)
    var old = PhoneScene.card(1, .ending, told: .cancelled, sequence: 200)
    old.endsTold = 1
    old.endToldAt = scene.now.advanced(by: -60)
    scene.order.cards = [old, PhoneScene.card(2, told: .preparing, sequence: 300, life: 1)]
    let plan = try #require(scene.plan)
    #expect(plan.event == .end(repeated: true) && plan.generation == 1)
    #expect(plan.dismissAt.map { $0 < scene.now } == true)
  }
}
