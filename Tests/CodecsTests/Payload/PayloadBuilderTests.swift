import Codecs
import Domain
import Testing

@Suite struct PayloadBuilderTests {
  private let builder = PayloadBuilder()
  private let time: Int64 = 1_796_030_000
  private let order = OrderID("o-1001")

  private var snapshot: Snapshot {
    let now = Instant(seconds: time)
    return Snapshot(
      sequence: 1_796_030_000_123, life: 0, stage: .delivering, stageStarted: now.advanced(by: -300), computed: now,
      riderPhase: .carrying, stopsBefore: 1, arrival: now.advanced(by: 600), earliest: now.advanced(by: 480),
      latest: now.advanced(by: 900), remainingMeters: 1_850, progress: 0.625, riderName: "Lin", isDelayed: false,
      storeName: "Café \"Sol\" / 餐厅", placed: now.advanced(by: -1_800))
  }

  private var bare: Snapshot {
    Snapshot(
      sequence: 1, life: 0, stage: .placed, stageStarted: Instant(seconds: time), computed: Instant(seconds: time),
      riderPhase: .none, progress: 0, placed: Instant(seconds: time))
  }

  private func phone(_ version: OSVersion?) -> Installation {
    var phone = Installation(id: InstallationID("i-1"), bundleID: "com.example.app", environment: .production)
    phone.osVersion = version
    return phone
  }

  private func plan(_ event: PushPlan.Event, ring: Stage? = nil, sounds: Bool = false) -> PushPlan {
    var plan = PushPlan(
      order: order, generation: 1, event: event, rule: "test", urgency: .stageChange, priority: 10,
      expiration: Instant(seconds: time + 600), ring: ring, sounds: sounds)
    if case .start = event { plan.attributesType = BuiltInShape.attributesType }
    return plan
  }

  private func build(_ plan: PushPlan, _ snapshot: Snapshot, os: OSVersion? = OSVersion(major: 18, minor: 1)) throws
    -> [UInt8]
  {
    try builder.build(plan, order: order, snapshot: snapshot, apsTimestamp: time, installation: phone(os))
  }

  @Test func matchesTheGoldenFiles() throws {
    var update = plan(.update)
    update.staleAt = Instant(seconds: time + 900)
    var end = plan(.end(repeated: false), ring: .delivered, sounds: true)
    end.dismissAt = Instant(seconds: time + 900)
    Golden.expect(try build(plan(.start, sounds: true), snapshot), equal: "start.json")
    Golden.expect(try build(plan(.start), bare, os: OSVersion(major: 17, minor: 4)), equal: "start-bare-ios17.json")
    Golden.expect(try build(update, snapshot), equal: "update.json")
    Golden.expect(try build(plan(.update, ring: .arriving, sounds: true), snapshot), equal: "update-ringing.json")
    Golden.expect(try build(end, snapshot), equal: "end.json")
    Golden.expect(try build(plan(.alert, ring: .arriving, sounds: true), snapshot), equal: "alert.json")
    Golden.expect(try build(plan(.wakeApp), snapshot), equal: "wake.json")
  }

  @Test func localizedTextsNestInCardsAndAreFlatInAlerts() throws {
    let announcement = Announcement(
      title: .localized(key: "ARRIVING", arguments: ["3"]), body: .localized(key: "ARRIVING_BODY"))
    let builder = PayloadBuilder(texts: Texts(announcements: [.arriving: announcement]))
    for (event, name) in [(PushPlan.Event.update, "update-localized.json"), (.alert, "alert-localized.json")] {
      let bytes = try builder.build(
        plan(event, ring: .arriving), order: order, snapshot: snapshot, apsTimestamp: time, installation: phone(nil))
      Golden.expect(bytes, equal: name)
    }
  }

  @Test(arguments: Stage.allCases) func startsAlwaysCarryAnAlertThatSaysSomething(stage: Stage) throws {
    var blank = Texts()
    blank.announcements[stage] = Announcement(title: .literal(" \n"), body: .localized(key: ""))
    var snapshot = snapshot
    snapshot.stage = stage
    snapshot.storeName = " "
    for texts in [Texts.neutral, blank] {
      let bytes = try PayloadBuilder(texts: texts).build(
        plan(.start), order: order, snapshot: snapshot, apsTimestamp: time, installation: phone(nil))
      try JSON.parse(bytes) { root in
        for name: StaticString in ["title", "body"] {
          let text = root["aps"]?["alert"]?[name]?.string ?? ""
          #expect(text.contains { !$0.isWhitespace })
        }
      }
    }
  }

  @Test func inputPushTokenIsForSystemsThatKnowIt() throws {
    for (version, isThere) in [
      (OSVersion(major: 17, minor: 9), false), (OSVersion(major: 18, minor: 0), true),
      (OSVersion(major: 26, minor: 1), true), (nil, false),
    ] {
      try JSON.parse(build(plan(.start), snapshot, os: version)) { root in
        #expect((root["aps"]?["input-push-token"]?.int64 == 1) == isThere)
      }
    }
  }

  @Test func timesAreWholeSecondsOfTenDigits() throws {
    for refused in [time * 1_000, 0, -1] as [Int64] {
      #expect(throws: PayloadRefused.self) {
        try builder.build(
          plan(.update), order: order, snapshot: snapshot, apsTimestamp: refused, installation: phone(nil))
      }
    }
  }

  static let dismissals: [(asked: Int64, given: Int64)] = [
    (0, 0), (-9_999, 0), (900, 900), (14_400, 14_400), (86_400, 14_400),
  ]

  @Test(arguments: dismissals)
  func dismissalStaysWithinFourHours(asked: Int64, given: Int64) throws {
    var end = plan(.end(repeated: false))
    end.dismissAt = Instant(seconds: time + asked)
    try JSON.parse(build(end, snapshot)) { root in
      #expect(root["aps"]?["dismissal-date"]?.int64 == time + given)
    }
  }

  @Test func numbersThatAreNotFiniteDoNotStopTheStage() throws {
    for progress in [Double.nan, .infinity, -.infinity, -0.5, 1.5] {
      var odd = snapshot
      odd.progress = progress
      var plan = plan(.update)
      plan.relevance = progress
      try JSON.parse(build(plan, odd)) { root in
        #expect((0.0...1.0).contains(root["aps"]?["content-state"]?["progress"]?.double ?? -1))
        #expect(root["aps"]?["content-state"]?["stage"]?.string == "delivering")
      }
    }
  }

  @Test func longTextsAreCutAndNothingElse() throws {
    for filler in ["餐", "👨‍👩‍👧‍👦", "\"\\", "\u{1}", "/"] {
      var long = snapshot
      long.storeName = String(repeating: filler, count: 1_300)
      long.riderName = long.storeName
      for event in [PushPlan.Event.start, .update, .end(repeated: false), .alert] {
        let bytes = try build(plan(event), long)
        #expect(bytes.count <= PayloadLimits.payloadBytesMax)
        try JSON.parse(bytes) { root in
          guard let state = root["aps"]?["content-state"] else { return }
          #expect(state["sequence"]?.int64 == long.sequence)
          #expect(state["estimatedArrivalTimestamp"]?.int64 == time + 600)
          let name = state["riderName"]?.string ?? ""
          #expect(long.riderName?.hasPrefix(name) == true)
        }
      }
    }
  }

  /// Whatever the snapshot: a body within the limit that reads back, or a refusal.
  @Test func anySnapshotGivesABodyThatFitsOrARefusal() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("PayloadBuilderTests.anySnapshotGivesABodyThatFitsOrARefusal: seed \(seed)")
    var random = SplitMix(state: seed)
    let alphabet = Array("a\"\\/\n\u{1}é餐😀\u{202e}")
    for _ in 0..<300 {
      func text(_ longest: UInt64) -> String {
        String((0..<random.next() % longest).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
      }
      func instant() -> Instant { Instant(microseconds: Int64(bitPattern: random.next())) }
      let snapshot = Snapshot(
        sequence: Int64(bitPattern: random.next()), life: 1, stage: Stage.allCases[Int(random.next() % 12)],
        stageStarted: instant(), computed: instant(), riderPhase: .assigned,
        stopsBefore: random.next() % 2 == 0 ? nil : Int(bitPattern: UInt(random.next())),
        arrival: random.next() % 2 == 0 ? nil : instant(), progress: Double(bitPattern: random.next()),
        riderName: text(600), storeName: text(600), placed: instant())
      let order = OrderID(text(2_000))
      for event in [PushPlan.Event.start, .update, .end(repeated: true), .alert, .wakeApp] {
        do throws(PayloadRefused) {
          let bytes = try builder.build(
            plan(event), order: order, snapshot: snapshot, apsTimestamp: time, installation: phone(nil))
          #expect(bytes.count <= PayloadLimits.payloadBytesMax, "seed \(seed)")
          let kind = try? JSON.parse(bytes) { $0.kind }
          #expect(kind == .object, "seed \(seed)")
        } catch {
          #expect(order.text.utf8.count > 200, "seed \(seed): \(error)")
        }
      }
    }
  }
}
