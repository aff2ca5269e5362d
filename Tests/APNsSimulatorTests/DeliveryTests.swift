import Testing

@testable import APNsSimulator

/// From APNs to the phone: storage, batching, delay, order (docs/apns.md 1.7, 10.1).
@Suite struct DeliveryTests {
  @Test func anOfflinePhoneGetsTheNewestOnly() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.behaviour.overwriteProbability = 1 }
    try bench.act(.offline)
    try bench.tell(phone, "accepted", sequence: 1)
    try bench.tell(phone, "preparing", sequence: 2)
    bench.run(60)
    #expect(phone.cards.first?.drawn.stage == Steps(.placed))
    try bench.act(.online)
    bench.run(5)
    #expect(phone.cards.first?.drawn.stage == Steps(.preparing))
    #expect(bench.dropped() == ["overwritten"])
  }

  @Test func whatIsNotStoredOrHasExpiredIsLost() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.act(.offline)
    try bench.tell(phone, "accepted", sequence: 1, headers: ["apns-expiration": "0"])
    try bench.tell(
      phone, "preparing", sequence: 2, headers: ["apns-expiration": String(bench.now.seconds + 30)])
    bench.run(60)
    try bench.act(.online)
    bench.run(5)
    #expect(bench.dropped() == ["notStored", "expired"])
  }

  @Test func oneOrderMayOverwriteAnothersEnd() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.behaviour.overwriteProbability = 1 }
    for order in ["o-1", "o-2"] {
      try bench.place(order)
      bench.run(5)
    }
    let (first, second) = (phone.cards[0], phone.cards[1])
    try bench.act(.offline)
    for (card, event) in [(first, "end"), (second, "update")] {
      let body =
        #"{"aps":{"timestamp":\#(bench.nextTimestamp()),"event":"\#(event)","#
        + #""content-state":\#(bench.state("ready", sequence: 3))}}"#
      #expect(bench.push("/3/device/\(try #require(card.token))", body).answer?.status == 200)
    }
    try bench.act(.online)
    bench.run(10)
    #expect(phone.activeCards == 2, "the end was overwritten by the other order's update")
  }

  @Test func priority5WaitsForTheBurst() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.behaviour.batchSeconds = 100 }
    try bench.tell(phone, "accepted", headers: ["apns-priority": "5"])
    bench.run(0.5)
    #expect(phone.cards.first?.drawn.stage == Steps(.placed))
    #expect(bench.records(.lag, "batching").count == 1)
    bench.run(101)
    #expect(phone.cards.first?.drawn.stage == Steps(.accepted))
  }

  @Test func lowPowerHoldsPriority5() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.act(.lowPowerOn)
    try bench.tell(phone, "accepted", headers: ["apns-priority": "5"])
    #expect(bench.records(.lag, "batching").count == 1)
    try bench.tell(phone, "preparing", sequence: 2)
    bench.run(130)
    #expect(phone.cards.first?.drawn.stage == Steps(.preparing))
  }

  @Test func reorderedPushesDoNotGoBackOnTheScreen() throws {
    let bench = try Bench(seed: 7)
    let phone = try bench.phoneWithCard {
      $0.behaviour.reorderProbability = 0.5
      $0.behaviour.priority10PerHour = 1000
    }
    for sequence in 1...40 {
      try bench.tell(phone, "preparing", sequence: sequence)
      bench.run(1)
    }
    bench.run(20)
    #expect(phone.cards.first?.drawn.sequence == 40)
    #expect(bench.dropped().contains("olderTimestamp"))
    #expect(Set(bench.dropped()) == ["olderTimestamp"])
  }

  @Test func notificationsOffMeansNoRing() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.behaviour.notifications = "denied" }
    let headers: [String: String?] = ["apns-topic": "com.example.delivery", "apns-push-type": "alert"]
    bench.push("/3/device/\(phone.deviceToken)", #"{"aps":{"alert":{"title":"T"}}}"#, headers: headers)
    bench.run(2)
    #expect(bench.dropped() == ["notificationsOff"])
    #expect(phone.alertsShown == 0)
  }

  @Test func aBackgroundPushMakesTheAppReport() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let headers: [String: String?] = [
      "apns-topic": "com.example.delivery", "apns-push-type": "background", "apns-priority": "5",
    ]
    bench.push("/3/device/\(phone.deviceToken)", #"{"aps":{"content-available":1}}"#, headers: headers)
    bench.run(2)
    #expect(bench.calls.last?.path == "/v1/installations/i-1/reconcile")
    bench.push(
      "/3/device/\(phone.deviceToken)", "{}", headers: headers.merging(["apns-priority": "10"]) { $1 })
    #expect(bench.records(.violation).map(\.word) == ["BadPriority"])
  }
}
