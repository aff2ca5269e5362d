import Testing

@testable import APNsSimulator

/// What users do, and what networks and systems undergo (docs/apns.md 5.7).
@Suite struct ActionTests {
  private func bodies(_ bench: Bench, _ part: String) -> [String] {
    bench.calls.filter { $0.path.contains(part) }.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func aSwipeIsSilentUnlessTheAppRuns() throws {
    for (action, reports) in [(PhoneAction.swipe, 0), (.swipeReported, 1)] {
      let bench = try Bench()
      let phone = try bench.phoneWithCard()
      try bench.act(action, order: "o-1")
      bench.run(5)
      #expect(phone.activeCards == 0)
      #expect(bodies(bench, "activities").count { $0.contains(#""state":"dismissed","cause":"user""#) } == reports)
      #expect(try bench.tell(phone, "accepted").answer?.status == 200, "APNs does not know of the swipe")
      bench.run(5)
      #expect(bench.dropped() == ["deadToken"])
      #expect(bench.records(.reach).last?.word == "dismissed")
    }
  }

  @Test func switchingActivitiesOffEndsCardsAndIsReported() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.act(.activitiesOff)
    bench.run(5)
    #expect(phone.activeCards == 0)
    #expect(bodies(bench, "installations").last?.contains(#""activitiesEnabled":false"#) == true)
    #expect(bodies(bench, "activities").last?.contains(#""cause":"system""#) == true)
    try bench.act(.activitiesOn)
    bench.run(5)
    #expect(bodies(bench, "installations").last?.contains(#""activitiesEnabled":true"#) == true)
  }

  @Test func notificationPermissionIsReported() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    try bench.act(.notificationsOff)
    bench.run(5)
    #expect(phone.notifications == "denied")
    #expect(bodies(bench, "installations").last?.contains(#""authorization":"denied""#) == true)
  }

  @Test func anOfflinePhoneUploadsNothingUntilItIsBack() throws {
    let bench = try Bench()
    _ = try bench.phone()
    try bench.act(.offline)
    let before = bench.calls.count
    try bench.place("o-1")
    bench.run(30)
    #expect(bench.calls.count == before)
    try bench.act(.online)
    bench.run(5)
    #expect(bodies(bench, "start-intents").count == 1)
  }

  @Test func aRebootRotatesEveryToken() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let before = [phone.deviceToken, phone.startToken, phone.cards.first?.token]
    try bench.act(.reboot)
    bench.run(5)
    let after = [phone.deviceToken, phone.startToken, phone.cards.first?.token]
    #expect(zip(before, after).allSatisfy { $0 != $1 })
    #expect(phone.cards.first?.isRegistered == true)
    #expect(phone.app.knownStartToken == phone.startToken)
  }

  @Test func aReinstalledAppIsAnotherInstallation() throws {
    let bench = try Bench()
    let old = try bench.phoneWithCard { $0.behaviour.afterlifeSeconds = 0 }
    let deviceToken = old.deviceToken
    var action = ActionSpec(installation: "i-1", action: .reinstall)
    action.onto = "i-2"
    try bench.perform(action)
    #expect(old.activeCards == 0)
    let new = bench.world.phones[1]
    #expect(new.app.isRegistered && new.user == "u-1")
    #expect(bench.records(.reach).last { $0.phone == "i-2" }?.word == "start")
    let headers: [String: String?] = ["apns-topic": "com.example.delivery", "apns-push-type": "alert"]
    #expect(bench.push("/3/device/\(deviceToken)", "{}", headers: headers).answer?.reason == "Unregistered")
  }

  @Test func aRestoredBackupComesWithTheOldCredential() throws {
    let bench = try Bench()
    let old = try bench.phone()
    var action = ActionSpec(installation: "i-1", action: .restoreBackup)
    action.onto = "i-2"
    try bench.perform(action)
    let new = bench.world.phones[1]
    #expect(new.app.revision >= old.app.revision)
    #expect(new.deviceToken != old.deviceToken)
    #expect(new.app.isRegistered)
    #expect(old.isOnline)
  }

  @Test func anotherUserOnThePhoneGetsTheirOwnOrders() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.place("o-2", by: nil, user: "u-2")
    try bench.act(.logOut)
    bench.run(2)
    #expect(bench.calls.last?.method == "DELETE")
    try bench.act(.logIn, user: "u-2")
    bench.run(2)
    #expect(phone.followed.keys.contains("o-2"))
    #expect(bodies(bench, "installations").last?.contains(#""userId":"u-2""#) == true)
    try bench.place("o-3", by: nil, user: "u-1")
    bench.run(2)
    #expect(!phone.followed.keys.contains("o-3"))
  }

  @Test func aDeadTokenIsNotKnownToTheApp() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let uploads = bench.calls.count
    try bench.act(.killToken, order: "o-1")
    bench.run(60)
    #expect(try bench.tell(phone, "accepted").answer?.reason == "Unregistered")
    #expect(phone.activeCards == 1)
    #expect(bench.calls.count == uploads)
  }

  @Test func commandsThatCannotBeCarriedOutSayWhy() throws {
    let bench = try Bench()
    _ = try bench.phone()
    #expect(throws: CommandRefused.self) { try bench.perform(ActionSpec(installation: "x", action: .swipe)) }
    #expect(throws: CommandRefused.self) { try bench.perform(ActionSpec(installation: "i-1", action: .reinstall)) }
  }
}
