import Domain
import Testing

/// Rings at most once, quiet hours, permission: docs/delivery-semantics.md 5.1 to 5.3.
struct AlertPolicyTests {
  private func arriving() -> PhoneScene {
    var scene = PhoneScene(.arriving)
    scene.order.cards = [PhoneScene.card(told: .arriving)]
    return scene
  }

  @Test func whatMustBeNoticedRingsBesideTheCard() throws {
    var scene = arriving()
    let plan = try #require(scene.plan)
    #expect(plan.event == .alert && plan.ring == .arriving && plan.priority == 10 && plan.staleAt == nil)
    scene.order.rung = [.arriving]
    #expect(scene.plan == nil)
  }

  @Test func aStageMayRingOnTheCardItself() {
    var scene = arriving()
    scene.settings.announcements[.arriving] = .cardAlert
    scene.order.cards = [PhoneScene.card(told: .delivering, sequence: 90)]
    #expect(scene.plan?.event == .update && scene.plan?.ring == .arriving && scene.plan?.sounds == true)
    scene.order.rung = [.arriving]
    #expect(scene.plan?.event == .update && scene.plan?.ring == nil)
  }

  @Test func aSilentStageRingsNowhereBesideACard() {
    var scene = arriving()
    scene.settings.announcements[.arriving] = .silent
    #expect(scene.plan == nil)
  }

  @Test func anOldCauseRingsNobody() {
    var scene = arriving()
    scene.order.causeFreshUntil = scene.now
    #expect(scene.plan == nil)
    scene.order.cards = []
    #expect(scene.plan == nil)
  }

  @Test func deniedIsUnreachableAndSaidSo() {
    var scene = PhoneScene(.cancelled)
    scene.installation.notifications = .denied
    #expect(scene.plan == nil)
    #expect(scene.installation.activitiesEnabled)
    scene.installation.activitiesEnabled = false
    scene.order.desired = PhoneScene.snapshot(.arriving)
    #expect(scene.kind == .unreachable && scene.rule == "notificationsDenied")
  }

  @Test func aSwipedCardIsReplacedByAlertsOnly() {
    var scene = PhoneScene(.pickedUp)
    scene.order.suppressed = true
    scene.order.cards = [PhoneScene.card(1, .ended)]
    #expect(scene.plan?.event == .alert && scene.rule == "suppressed")
    scene.order.desired = PhoneScene.snapshot(.preparing)
    #expect(scene.plan == nil && scene.rule == "suppressed", "no milestone, no push")
    scene.order.suppressed = false
    scene.order.cards.append(PhoneScene.card(2, told: nil))
    #expect(scene.plan?.event == .update, "the app registered another card")
  }

  @Test(arguments: [(1_320, false), (1_319, true), (0, false), (419, false), (420, true), (720, true)])
  func quietHoursTakeTheSoundOnly(minuteOfDay: Int, sounds: Bool) {
    var scene = PhoneScene(.accepted)
    scene.settings.quietFrom = 22 * 3_600
    scene.settings.quietTo = 7 * 3_600
    let midnight = Instant(seconds: PhoneScene.start.seconds / 86_400 * 86_400)
    scene.installation.utcOffsetSeconds = 7_200
    scene.now = midnight.advanced(by: Double(minuteOfDay * 60 - 7_200))
    scene.order.causeFreshUntil = .distantFuture
    scene.order.knownSince = .distantPast
    scene.order.heardAt = scene.now
    #expect(scene.plan?.ring == .accepted && scene.plan?.sounds == sounds)
    scene.installation.activitiesEnabled = false
    scene.order.desired = PhoneScene.snapshot(.arriving)
    #expect(scene.plan?.sounds == true, "what must be noticed is heard")
  }

  @Test func activitiesSwitchedOffMidOrderGoOnByAlert() {
    var scene = PhoneScene(.pickedUp)
    scene.order.cards = [PhoneScene.card(told: .accepted, sequence: 50)]
    scene.installation.activitiesEnabled = false
    #expect(scene.plan?.event == .alert && scene.rule == "activitiesDisabled")
  }

  @Test func anOrderKnownOnlyByARegistrationIsWaitedFor() {
    var scene = PhoneScene()
    scene.order.desired = nil
    #expect(scene.plan == nil && scene.rule == "noSnapshot")
  }

  @Test func everyRuleAndVerdictHasAPlainName() {
    for rule in Rule.allCases { #expect(rule.rawValue.allSatisfy { $0.isLetter || $0.isNumber }) }
    #expect(Set(Rule.allCases.map(\.rawValue)).count == Rule.allCases.count)
  }
}
