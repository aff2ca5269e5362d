import Testing

@testable import APNsSimulator

/// What the system does with Live Activity pushes, rule by rule (docs/apns.md 4 and 5).
@Suite struct CardTests {
  @Test func theAppStartsItsOwnCardAfterItsIntent() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    try bench.place("o-1")
    bench.run(5)
    #expect(bench.calls.map(\.path).contains("/v1/orders/o-1/start-intents"))
    #expect(phone.cards.map(\.starter) == [.app])
    #expect(phone.cards.first?.isRegistered == true)
    #expect(bench.records(.shown).map(\.stage) == [Steps(.placed)])
  }

  @Test func theAppWaitsForAPushStartThatIsClaimed() throws {
    let bench = try Bench()
    bench.pushStart = "claimed"
    let phone = try bench.phone()
    try bench.place("o-1")
    bench.run(5)
    #expect(phone.cards.isEmpty)
    try bench.start(phone)
    bench.run(5)
    #expect(phone.cards.map(\.starter) == [.push])
    #expect(phone.cards.first?.isRegistered == true)
  }

  @Test func updatesAreShownAndOlderTimestampsDropped() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let first = bench.nextTimestamp()
    try bench.tell(phone, "preparing", sequence: 2)
    bench.run(10)
    try bench.tell(phone, "accepted", sequence: 1, timestamp: first)
    try bench.tell(phone, "accepted", sequence: 1, timestamp: first + 1)
    bench.run(10)
    #expect(phone.cards.first?.drawn.stage == Steps(.preparing))
    #expect(bench.dropped() == ["olderTimestamp", "olderTimestamp"])
  }

  @Test func theViewNeverGoesBackToALowerSequence() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.tell(phone, "preparing", sequence: 5)
    bench.run(10)
    try bench.tell(phone, "accepted", sequence: 4)
    bench.run(10)
    #expect(phone.cards.first?.drawn.stage == Steps(.preparing))
    #expect(bench.dropped() == ["lowerSequence"])
  }

  @Test(arguments: [
    #"{"sequence":"2","stage":"ready","stageStartedTimestamp":1,"snapshotTimestamp":1,"riderPhase":"none","#
      + #""progress":0.5,"isDelayed":false}"#,
    #"{"sequence":2,"stage":"unheardOf","stageStartedTimestamp":1,"snapshotTimestamp":1,"riderPhase":"none","#
      + #""progress":0.5,"isDelayed":false}"#,
    #"{"sequence":2,"stage":"ready","stageStartedTimestamp":1,"snapshotTimestamp":1,"riderPhase":"none","#
      + #""progress":0.5,"isDelayed":0}"#,
    #"{"sequence":2,"stage":"ready","stageStartedTimestamp":1,"snapshotTimestamp":1,"riderPhase":"none","#
      + #""isDelayed":false}"#,
    #"{"sequence":2.5,"stage":"ready","stageStartedTimestamp":1,"snapshotTimestamp":1,"riderPhase":"none","#
      + #""progress":0.5,"isDelayed":false}"#,
  ]) func whatDoesNotDecodeIsDropped(_ state: String) throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let token = try #require(phone.cards.last?.token)
    let body = #"{"aps":{"timestamp":\#(bench.nextTimestamp()),"event":"update","content-state":\#(state)}}"#
    #expect(bench.push("/3/device/\(token)", body).answer?.status == 200)
    bench.run(10)
    #expect(bench.dropped() == ["decode"])
    #expect(phone.cards.first?.drawn.stage == Steps(.placed))
  }

  @Test func startsThatThePhoneDropsInSilence() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    try bench.start(phone, alert: "")
    bench.run(2)
    try bench.start(phone, type: "OtherAttributes")
    bench.run(2)
    try bench.act(.activitiesOff)
    bench.run(2)
    try bench.start(phone)
    bench.run(2)
    #expect(bench.dropped() == ["noAlert", "unknownType", "activitiesOff"])
    #expect(phone.cards.isEmpty)
    #expect(bench.records(.violation).map(\.word) == ["startWithoutAlert"])
  }

  @Test func fiveCardsAreTheMost() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.behaviour.rotatesStartToken = false }
    for order in 1...6 {
      try bench.start(phone, order: "o-\(order)")
      bench.run(2)
    }
    #expect(phone.activeCards == 5)
    #expect(bench.dropped() == ["cardLimit"])
  }

  @Test func theStartBudgetIsSpentByEveryStartAndHasNoFloor() throws {
    let bench = try Bench()
    let phone = try bench.phone {
      $0.behaviour.rotatesStartToken = false
      $0.behaviour.startsPerDay = 2
    }
    for order in 1...4 {
      try bench.start(phone, order: "o-\(order)")
      bench.run(600)
    }
    #expect(bench.dropped() == ["startBudget", "startBudget"])
    bench.run(24 * 3600 - 1500)
    try bench.start(phone, order: "o-5")
    bench.run(2)
    #expect(bench.dropped().count == 3, "the two that were dropped were spent too")
  }

  @Test func beforeIOS17_2ThereIsNoStartToken() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.os = OSRelease(17, 1) }
    #expect(phone.startToken == nil)
    #expect(bench.records(.reach).isEmpty)
    try bench.place("o-1", by: nil)
    bench.run(1)
    #expect(bench.records(.reach).map(\.word) == ["osTooOld"])
  }

  @Test func fromIOS18OnATokenMustBeAskedFor() throws {
    for (os, extra, hasToken) in [
      (OSRelease(18, 0), "", false), (OSRelease(18, 0), #","input-push-token":1"#, true), (OSRelease(17, 2), "", true),
    ] {
      let bench = try Bench()
      let phone = try bench.phone { $0.os = os }
      try bench.start(phone, extra: extra)
      bench.run(10)
      #expect((phone.cards.first?.token != nil) == hasToken)
    }
  }

  @Test func aChannelStartsNothingBeforeIOS18() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.os = OSRelease(17, 4) }
    try bench.start(phone, extra: #","input-push-channel":"Y2hhbm5lbA==""#)
    bench.run(2)
    #expect(bench.dropped() == ["channelTooNew"])
  }

  @Test func aTokenIsWithheldUntilAllow() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.behaviour.allowSeconds = 30 }
    try bench.start(phone)
    bench.run(20)
    #expect(phone.activeCards == 1)
    #expect(phone.cards.first?.token == nil)
    bench.run(20)
    #expect(phone.cards.first?.isRegistered == true)
  }

  @Test func aForceQuitAppGivesNoTokenUntilItIsOpened() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    try bench.act(.forceQuit)
    try bench.start(phone)
    bench.run(60)
    #expect(phone.activeCards == 1)
    #expect(phone.cards.first?.token == nil)
    try bench.act(.open)
    bench.run(10)
    #expect(phone.cards.first?.isRegistered == true)
  }

  @Test func theStartTokenRotatesAfterAStart() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.behaviour.afterlifeSeconds = 0 }
    let first = try #require(phone.startToken)
    try bench.start(phone)
    bench.run(10)
    #expect(phone.startToken != first)
    #expect(bench.push("/3/device/\(first)", "{}").answer?.reason == "Unregistered")
  }

  @Test func endsAndDismissalDates() throws {
    for (extra, seconds) in [
      (#","dismissal-date":0"#, 0.0), (#","dismissal-date":\#(Bench.start.seconds + 606)"#, 600),
      (#","dismissal-date":\#(Bench.start.seconds + 90_000)"#, 4 * 3600), ("", 4 * 3600),
    ] {
      let bench = try Bench()
      let phone = try bench.phoneWithCard()
      try bench.tell(phone, "delivered", event: "end", extra: extra)
      bench.run(1)
      #expect(phone.activeCards == 0)
      let ended = try #require(bench.records(.card, "ended").first)
      bench.run(5 * 3600)
      let removed = try #require(bench.records(.card, "removed").first)
      #expect(abs((removed.at - ended.at).inSeconds - seconds) < 1.1)
      try bench.tell(phone, "delivered", event: "end")
      bench.run(2)
      #expect(bench.records(.push).map(\.status) == [200, 410])
    }
  }

  @Test func anEndedCardTakesNothingThough200() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.tell(phone, "delivered", event: "end")
    bench.run(5)
    #expect(try bench.tell(phone, "delivered", event: "end").answer?.status == 200)
    bench.run(5)
    #expect(bench.dropped() == ["deadToken"])
  }

  @Test func eightHoursEndACardAndFourMoreRemoveIt() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    bench.run(8 * 3600 - 10)
    #expect(phone.activeCards == 1)
    bench.run(10)
    #expect(phone.activeCards == 0)
    bench.run(4 * 3600)
    #expect(bench.records(.card, "removed").count == 1)
  }

  @Test func aStaleDateMarksTheCardAndANewerPushUnmarksIt() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.tell(phone, "accepted", extra: #","stale-date":\#(bench.now.seconds + 60)"#)
    bench.run(61)
    #expect(phone.cards.first?.isStale == true)
    try bench.tell(phone, "accepted", sequence: 2, extra: #","stale-date":\#(bench.now.seconds + 60)"#)
    bench.run(1)
    #expect(phone.cards.first?.isStale == false)
  }

  @Test func redrawsKeepTheirGap() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    bench.run(10)
    try bench.tell(phone, "accepted", sequence: 1)
    bench.run(1)
    try bench.tell(phone, "preparing", sequence: 2)
    bench.run(1)
    #expect(phone.cards.first?.drawn.stage == Steps(.accepted))
    #expect(bench.records(.lag, "renderGap").count == 1)
    bench.run(5)
    #expect(phone.cards.first?.drawn.stage == Steps(.preparing))
  }

  @Test func thePriority10BudgetDefersUpdates() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.behaviour.priority10PerHour = 2 }
    for sequence in 1...3 {
      try bench.tell(phone, "preparing", sequence: sequence)
      bench.run(10)
    }
    #expect(phone.cards.first?.drawn.sequence == 2)
    #expect(bench.records(.lag, "budget").count == 1)
    try bench.tell(phone, "preparing", sequence: 4, headers: ["apns-priority": "5"])
    bench.run(10)
    #expect(phone.cards.first?.drawn.sequence == 4, "priority 5 is free")
  }

  @Test func payloadsThatNoPhoneShowsAreViolations() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let token = try #require(phone.cards.last?.token)
    let millis = bench.now.seconds * 1000
    for body in [
      "[]", #"{"aps":{}}"#, #"{"aps":{"event":"update"}}"#, #"{"aps":{"event":"update","timestamp":1790000000}}"#,
      #"{"aps":{"event":"end","timestamp":\#(millis)}}"#,
    ] {
      #expect(bench.push("/3/device/\(token)", body).answer?.status == 200)
    }
    #expect(
      bench.records(.violation).map(\.word) == ["notJSON", "noEvent", "noTimestamp", "noContent", "timestampAhead"])
  }
}
