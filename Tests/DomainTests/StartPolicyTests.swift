import Domain
import Testing

/// Starts by push: docs/delivery-semantics.md 4.1 to 4.6.
struct StartPolicyTests {
  @Test func aPhoneWithoutACardGetsOne() throws {
    let plan = try #require(PhoneScene().plan)
    #expect(plan.event == .start && plan.rule == "noCard" && plan.generation == 1)
    #expect(plan.priority == 10 && plan.attributesType == "DeliveryAttributes")
    #expect(plan.ring == .accepted && plan.sounds)
    #expect(plan.expiration == PhoneScene.start.advanced(by: 600))
  }

  @Test(arguments: [(true, 20.0), (false, 5.0)])
  func theAppsOwnCardIsWaitedFor(placedByThisPhone: Bool, seconds: Double) {
    var scene = PhoneScene()
    scene.order.placedByThisPhone = placedByThisPhone
    scene.order.knownSince = scene.now
    let decision = scene.decide()
    #expect(decision.plan == nil && scene.rule == "holdOff")
    #expect(decision.lookAgainAt == scene.now.advanced(by: seconds))
    scene.now = scene.now.advanced(by: seconds)
    #expect(scene.plan?.event == .start)
  }

  @Test func anOpenStartIntentIsRespectedUntilItEnds() {
    var scene = PhoneScene()
    let until = scene.now.advanced(by: 12)
    scene.order.intentUntil = until
    #expect(scene.rule == "startIntent" && scene.decide().lookAgainAt == until)
    scene.now = until
    #expect(scene.plan?.event == .start)
  }

  @Test(arguments: [CardView.Phase.reserved, .unconfirmed])
  func neverASecondStartWhileTheFirstIsUnconfirmed(phase: CardView.Phase) {
    var scene = PhoneScene(.preparing)
    scene.order.cards = [PhoneScene.card(1, phase, told: nil, startedAgo: 0, hasToken: false)]
    var now = PhoneScene.start
    while now < PhoneScene.start.advanced(by: 8 * 3_600) {
      scene.now = now
      scene.order.heardAt = now
      scene.order.causeFreshUntil = now.advanced(by: 600)
      #expect(scene.plan?.event != .start)
      now = now.advanced(by: 97)
    }
  }

  @Test func anUnconfirmedStartIsWaitedForThenTheAppIsAskedThenMilestonesGoByAlert() {
    var scene = PhoneScene(.pickedUp)
    scene.order.cards = [PhoneScene.card(1, .unconfirmed, told: nil, startedAgo: 0, hasToken: false)]
    let due = PhoneScene.start.advanced(by: 45)
    #expect(scene.rule == "awaitingToken" && scene.decide().lookAgainAt == due)
    scene.now = due
    #expect(scene.plan?.event == .wakeApp && scene.plan?.priority == 5)
    scene.order.cards[0].wokenAt = due
    #expect(scene.plan?.event == .alert && scene.plan?.ring == .pickedUp && scene.rule == "unconfirmed")
    scene.order.rung = [.pickedUp]
    #expect(scene.plan == nil)
  }

  /// The token came: exactly one update with the newest state.
  @Test func aConfirmedCardIsBroughtUpToDateOnce() {
    var scene = PhoneScene(.delivering)
    scene.order.cards = [PhoneScene.card(told: .placed, sequence: 50)]
    #expect(scene.plan?.event == .update && scene.rule == "stageChanged")
    scene.order.cards = [PhoneScene.card(told: .delivering, sequence: 100)]
    #expect(scene.plan == nil && scene.rule == "upToDate")
  }

  @Test func anOldCauseStartsNothing() {
    var scene = PhoneScene()
    scene.order.causeFreshUntil = scene.now
    #expect(scene.plan == nil && scene.rule == "oldCause")
  }

  @Test(arguments: [Stage.delivered, .cancelled, .failed, .returned])
  func aFinishedOrderIsNeverStarted(stage: Stage) {
    let scene = PhoneScene(stage)
    #expect(scene.plan?.event == .alert)
    var silent = scene
    silent.order.rung = [stage]
    #expect(silent.plan == nil && silent.rule == "finishedWithoutCard")
  }

  @Test func aScheduledOrderIsStartedAtItsLeadTime() {
    var scene = PhoneScene(.placed)
    let from = scene.now.advanced(by: 7_200)
    scene.order.schedule = ScheduleWindow(from: from, to: from.advanced(by: 1_800))
    #expect(scene.rule == "scheduled" && scene.decide().lookAgainAt == from.advanced(by: -3_600))
    scene.order.causeFreshUntil = .distantPast
    scene.now = from.advanced(by: -3_600)
    #expect(scene.plan?.event == .start && scene.plan?.ring == .placed)
    scene.dataIsLive = false
    #expect(scene.rule == "oldCause", "a consumer that lags may not know the order's end yet")
    scene.dataIsLive = true
    scene.now = scene.now.advanced(by: 600)
    #expect(scene.rule == "oldCause")
  }

  @Test func whatStandsInTheWayOfAStartIsNamedAndMilestonesGoByAlert() {
    let obstacles: [(String, (inout PhoneScene) -> Void)] = [
      ("activitiesDisabled", { $0.installation.activitiesEnabled = false }),
      ("systemTooOld", { $0.installation.osVersion = OSVersion(major: 17, minor: 1) }),
      ("noStartToken", { $0.installation.startTokens = [:] }),
      (
        "noStartToken",
        {
          $0.order.kind = "grocery"
          $0.settings.attributesTypeByKind = ["grocery": "Other"]
        }
      ),
      ("suppressed", { $0.order.suppressed = true }),
      ("cardGone", { $0.order.cards = [PhoneScene.card(1, .ended)] }),
      ("otherPhone", { $0.settings.phones = .placing }),
      ("otherPhone", { $0.settings.phones = .recent }),
      ("cardLimit", { $0.others = (2...4).map(PhoneScene.other) }),
      ("startBudget", { $0.budget.starts = (1...3).map { PhoneScene.start.advanced(by: Double($0) * -60) } }),
    ]
    for (rule, change) in obstacles {
      var scene = PhoneScene(.pickedUp)
      change(&scene)
      let plan = scene.plan
      #expect(plan?.event == .alert && plan?.rule == rule && plan?.ring == .pickedUp, "\(rule)")
      scene.order.rung = [.pickedUp]
      #expect(scene.plan == nil, "\(rule)")
      scene.order.rung = []
      scene.installation.notifications = .denied
      #expect(scene.plan == nil && scene.rule == "notificationsDenied" && scene.kind == .unreachable, "\(rule)")
      scene.installation.notifications = .authorized
      scene.installation.deviceToken = nil
      #expect(scene.plan == nil && scene.rule == "noDeviceToken" && scene.kind == .unreachable, "\(rule)")
    }
  }

  @Test func budgetsAllowThreeStartsAnHourAndSevenADayAndKeepOneForARenewal() {
    var scene = PhoneScene()
    scene.budget.starts = [-3_599, -1_800].map { scene.now.advanced(by: $0) }
    #expect(scene.plan?.event == .start)
    scene.budget.starts.append(scene.now.advanced(by: -1))
    #expect(scene.rule == "startBudget" && scene.decide().lookAgainAt == scene.now.advanced(by: 1))
    scene.budget.starts = (1...7).map { scene.now.advanced(by: Double($0 - 8) * 7_200) }
    #expect(scene.rule == "startBudget")
    scene.budget.starts.removeFirst()
    #expect(scene.plan?.event == .start)
  }

  @Test func anUnprovenPhonesCardIsStaleSoon() {
    var scene = PhoneScene()
    scene.installation.pushToStartProven = false
    #expect(scene.plan?.staleAt == scene.now.advanced(by: 300))
  }

  @Test func aReopenedOrderStartsTheNextGeneration() {
    var scene = PhoneScene()
    scene.order.desired = PhoneScene.snapshot(.preparing, sequence: 200, life: 1)
    scene.order.cards = [PhoneScene.card(1, .ended, told: .cancelled)]
    #expect(scene.plan?.event == .start && scene.plan?.generation == 2)
  }

  @Test func aCardThatIsStillAliveSimplyLivesOnThroughAReopening() {
    var scene = PhoneScene()
    scene.order.desired = PhoneScene.snapshot(.preparing, sequence: 200, life: 1)
    scene.order.cards = [PhoneScene.card(told: .delivering)]
    #expect(scene.plan?.event == .update && scene.rule == "stageChanged")
  }

  /// A second phone joins while the first has a card: it is started with what is true now.
  @Test func everyPhoneIsDecidedOnItsOwn() {
    var first = PhoneScene(.pickedUp)
    first.order.cards = [PhoneScene.card(told: .accepted, sequence: 50)]
    let second = PhoneScene(.pickedUp)
    #expect(first.plan?.event == .update)
    #expect(second.plan?.event == .start && second.plan?.ring == .pickedUp)
  }
}

extension PhoneScene {
  /// Another running order with an up-to-date card.
  static func other(_ number: Int) -> OrderView {
    var order = OrderView(
      id: OrderID("o-\(number)"), version: 1, desired: snapshot(.accepted), causeFreshUntil: .distantPast,
      knownSince: start.advanced(by: -300))
    order.cards = [card()]
    return order
  }
}
