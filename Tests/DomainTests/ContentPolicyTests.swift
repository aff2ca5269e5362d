import Domain
import Testing

/// Updates, heartbeats, repairs and renewals: docs/delivery-semantics.md 3.5, 5.5, 5.6, 5.9.
struct ContentPolicyTests {
  private func scene(
    desired: Stage, sequence: Int64 = 200, told: Stage, toldAgo: Double = 30, startedAgo: Double = 300
  ) -> PhoneScene {
    var scene = PhoneScene(desired)
    scene.order.desired = PhoneScene.snapshot(desired, sequence: sequence)
    scene.order.cards = [PhoneScene.card(told: told, toldAgo: toldAgo, startedAgo: startedAgo)]
    return scene
  }

  @Test func aStageChangeGoesAtOnceAndUrgently() throws {
    let plan = try #require(scene(desired: .pickedUp, told: .ready, toldAgo: 2).plan)
    #expect(plan.event == .update && plan.priority == 10 && plan.urgency == .stageChange)
    #expect(plan.ring == nil, "only must-notice stages ring beside a card")
    let staleAt = try #require(plan.staleAt)
    #expect(plan.expiration >= staleAt)
  }

  @Test func anArrivalThatMovedWaitsItsIntervalAndCostsNothing() throws {
    var scene = scene(desired: .accepted, told: .accepted, toldAgo: 10)
    #expect(scene.rule == "updateInterval" && scene.decide().lookAgainAt == scene.now.advanced(by: 5))
    scene.now = scene.now.advanced(by: 5)
    let plan = try #require(scene.plan)
    #expect(plan.priority == 5 && plan.urgency == .eta && plan.rule == "contentChanged")
    let left = scene.budget.debited(
      by: plan, now: scene.now, installation: scene.installation, settings: scene.settings)
    #expect(left.bucket == 10)
  }

  @Test func evenStageChangesKeepASecondApart() {
    var scene = scene(desired: .pickedUp, told: .ready, toldAgo: 0.25)
    #expect(scene.decide().lookAgainAt == scene.now.advanced(by: 0.75))
    scene.now = scene.now.advanced(by: 0.75)
    #expect(scene.plan?.event == .update)
  }

  @Test(arguments: [(Stage.arriving, 2.0), (.delivering, 2), (.pickedUp, 3), (.ready, 4), (.accepted, 5)])
  func theBucketIsKeptForEndsAndForStagesThatMatterMore(stage: Stage, needed: Double) {
    var scene = scene(desired: stage, told: .placed)
    scene.budget = PhoneBudget(bucket: needed, bucketAt: scene.now)
    #expect(scene.plan?.priority == 10)
    scene.budget.bucket = needed - 0.01
    #expect(scene.plan?.event == .update && scene.plan?.priority == 5)
  }

  @Test func theBucketRefillsEvenlyAndNeverOverflows() {
    let scene = PhoneScene()
    let budget = PhoneBudget(bucket: 2, bucketAt: scene.now)
    func left(_ seconds: Double, frequent: Bool = false) -> Double {
      var installation = scene.installation
      installation.frequentPushesEnabled = frequent
      return budget.priority10Left(
        now: scene.now.advanced(by: seconds), installation: installation, settings: scene.settings)
    }
    #expect(left(0) == 2 && left(360) == 3 && left(86_400) == 10)
    #expect(left(360, frequent: true) == 4 && left(86_400, frequent: true) == 20)
    #expect(left(-600) == 2, "a clock that steps back takes nothing away")
  }

  @Test func contentThatAPNsRefusedIsNotSaidAgainButNewerIs() {
    var scene = scene(desired: .pickedUp, told: .ready)
    scene.order.cards[0].refusedSequence = 200
    #expect(scene.plan == nil && scene.rule == "refusedByAPNs")
    scene.order.desired = PhoneScene.snapshot(.delivering, sequence: 201)
    #expect(scene.plan?.event == .update)
  }

  @Test func aCardOfTheAppsOwnIsToldUnlessItKnowsAlready() {
    var scene = PhoneScene()
    scene.order.cards = [PhoneScene.card(told: nil)]
    #expect(scene.rule == "firstContent" && scene.plan?.event == .update)
    scene.order.cards[0].known = 100
    scene.order.cards[0].knownAt = scene.now
    #expect(scene.plan == nil)
  }

  @Test func aCardWithoutATokenIsWaitedFor() {
    var scene = PhoneScene()
    scene.order.cards = [PhoneScene.card(told: nil, startedAgo: 10, hasToken: false)]
    #expect(scene.rule == "awaitingUpdateToken" && scene.decide().lookAgainAt == scene.now.advanced(by: 35))
  }

  @Test func aTrueCardIsKeptFromLookingStaleAtHalfItsWindow() throws {
    var scene = scene(desired: .delivering, sequence: 100, told: .delivering, toldAgo: 0)
    let half = scene.now.advanced(by: 450)
    #expect(scene.plan == nil && scene.decide().lookAgainAt == half)
    scene.now = half
    let plan = try #require(scene.plan)
    #expect(plan.rule == "heartbeat" && plan.priority == 5 && plan.urgency == .housekeeping && plan.ring == nil)
  }

  @Test func noHeartbeatOnDeadData() {
    var scene = scene(desired: .delivering, sequence: 100, told: .delivering, toldAgo: 460)
    scene.dataIsLive = false
    #expect(scene.plan == nil)
    scene.dataIsLive = true
    scene.order.heardAt = scene.now.advanced(by: -3_601)
    #expect(scene.plan == nil)
    scene.order.heardAt = scene.now.advanced(by: -3_600)
    #expect(scene.rule == "heartbeat")
  }

  @Test func aPositivelyStaleReportIsRepairedOnce() {
    var scene = scene(desired: .accepted, sequence: 100, told: .accepted, toldAgo: 100)
    scene.order.cards[0].known = 90
    scene.order.cards[0].knownAt = scene.now.advanced(by: -40)
    #expect(scene.plan == nil, "60 s after the accepted push, not more")
    scene.order.cards[0].knownAt = scene.now.advanced(by: -39)
    #expect(scene.rule == "repair" && scene.plan?.priority == 5)
    scene.order.cards[0].told?.at = scene.now
    #expect(scene.plan == nil)
  }

  @Test func aMissingReportMeansNothing() {
    let scene = scene(desired: .accepted, sequence: 100, told: .accepted, toldAgo: 300)
    #expect(scene.plan == nil && scene.rule == "upToDate")
  }

  @Test func aCardIsRenewedBeforeItsEightHoursWherePushStartsAreProven() throws {
    var scene = scene(desired: .accepted, sequence: 100, told: .accepted, startedAgo: 7.5 * 3_600)
    scene.order.heardAt = scene.now
    let plan = try #require(scene.plan)
    #expect(plan.event == .start && plan.rule == "renewal" && plan.generation == 2)
    #expect(plan.ring == nil && !plan.sounds)
    scene.order.cards.append(PhoneScene.card(2, .unconfirmed, told: .accepted, startedAgo: 1, hasToken: false))
    #expect(scene.plan?.event != .start, "one renewal")
    scene.order.cards[1] = PhoneScene.card(2, told: .accepted, startedAgo: 60)
    let end = try #require(scene.plan)
    #expect(end.rule == "secondCard" && end.generation == 1 && end.dismissAt.map { $0 < scene.now } == true)
  }

  @Test func aRenewalMayUseTheStartKeptForIt() {
    var scene = scene(desired: .accepted, sequence: 100, told: .accepted, startedAgo: 7.5 * 3_600)
    scene.order.heardAt = scene.now
    scene.budget.starts = (1...7).map { scene.now.advanced(by: Double($0 - 8) * 7_200) }
    #expect(scene.rule == "renewal")
    scene.budget.starts.append(scene.now.advanced(by: -10))
    #expect(scene.plan?.event != .start)
  }

  @Test func withoutAProvenPushStartTheCardIsEndedInTimeAndAlertsGoOn() {
    var scene = scene(desired: .arriving, sequence: 100, told: .arriving, toldAgo: 1, startedAgo: 8 * 3_600 - 120)
    scene.installation.pushToStartProven = false
    scene.order.heardAt = scene.now
    scene.order.rung = [.arriving]
    #expect(scene.rule == "cardExpiring" && scene.kind == .end)
    scene.order.cards = [PhoneScene.card(1, .ended, told: .arriving)]
    scene.order.rung = []
    #expect(scene.plan?.event == .alert && scene.rule == "cardGone")
  }

  @Test func nothingIsSentToACardOlderThanEightHours() {
    var scene = scene(desired: .pickedUp, told: .accepted, startedAgo: 8 * 3_600)
    scene.order.heardAt = scene.now
    scene.order.rung = [.pickedUp]
    #expect(scene.plan == nil)
  }

  @Test func theNearestArrivalIsTheMostRelevantAndOneOrderWinsTheTurn() {
    var scene = scene(desired: .accepted, told: .accepted)
    var near = PhoneScene.other(2)
    near.desired = PhoneScene.snapshot(.accepted, sequence: 300, arrivalIn: 120)
    var far = PhoneScene.other(3)
    far.desired = PhoneScene.snapshot(.accepted, sequence: 300, arrivalIn: nil)
    scene.others = [far, near]
    let decision = scene.decide()
    #expect(decision.plan?.order == near.id)
    #expect(decision.verdicts.values.count { $0.kind == .update } == 3)
  }
}
