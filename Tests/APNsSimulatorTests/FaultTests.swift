import Testing

@testable import APNsSimulator

/// Each fault, applied to a hand-written provider's pushes.
@Suite struct FaultTests {
  private func handling(_ effect: Fault.Effect, _ change: (inout Fault) -> Void = { _ in }) throws -> (Handling, Int) {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    var fault = Fault(effect)
    change(&fault)
    _ = bench.world.add([fault])
    let handling = try bench.tell(phone, "accepted")
    bench.run(2)
    return (handling, bench.records(.shown).count { $0.stage == Steps(.accepted) })
  }

  @Test func anyAnswer() throws {
    let (handling, shown) = try handling(.answer(status: 503, reason: "ServiceUnavailable"))
    #expect(handling.answer?.status == 503)
    #expect(handling.answer?.reason == "ServiceUnavailable")
    #expect(shown == 0)
  }

  @Test func effectsBeforeAndAfterAcceptance() throws {
    let before: [Fault.Effect] = [.silence, .resetBefore, .cut]
    let after: [Fault.Effect] = [.loseAnswer, .resetAfter]
    for effect in before + after {
      let (handling, shown) = try handling(effect)
      #expect(handling.answer == nil)
      #expect(handling.resets == [.resetBefore, .resetAfter].contains(effect))
      #expect(handling.cuts == (effect == .cut))
      #expect(shown == (after.contains(effect) ? 1 : 0))
    }
  }

  @Test func aDelayAndADropOnTheDevice() throws {
    let delayed = try handling(.delay(milliseconds: 40))
    #expect(delayed.0.delayMilliseconds == 40)
    #expect(delayed.1 == 1)
    let dropped = try handling(.dropOnDevice)
    #expect(dropped.0.answer?.status == 200)
    #expect(dropped.1 == 0)
  }

  @Test func goAwayAfterSoManyStreamsAndStreamLimits() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.behaviour.priority10PerHour = 100 }
    _ = bench.world.add([Fault(.goAway(after: 2))])
    let effects = try (0..<4).map { _ in try bench.tell(phone, "accepted").effects }
    #expect(effects[1].isEmpty)
    #expect(effects[2] == [.goAway(data: Array(#"{"reason":"Shutdown"}"#.utf8))])
    #expect(effects[3].isEmpty)
    for (form, text) in [(Fault.GoAwayForm.text, "shutting down"), (.empty, "")] {
      _ = bench.world.add([Fault(.goAway(after: 0, form: form))])
      #expect(try bench.tell(phone, "accepted").effects == [.goAway(data: Array(text.utf8))])
    }
    _ = bench.world.add([Fault(.streamLimit(3))])
    #expect(try bench.tell(phone, "accepted").effects == [.streamLimit(3)])
  }

  @Test func faultsAreAimed() throws {
    let hit = Fault.Effect.answer(status: 500, reason: "InternalServerError")
    let start = Bench.start.micros
    for (status, change) in [
      (200, { $0.installation = "i-2" }), (500, { $0.installation = "i-1" }), (200, { $0.event = "end" }),
      (500, { $0.event = "update" }), (200, { $0.topic = "com.other" }), (200, { $0.environment = .sandbox }),
      (200, { $0.count = 0 }), (500, { $0.count = 1 }), (200, { $0.rate = 0 }), (500, { $0.rate = 1 }),
      (200, { $0.fromMicros = start + 900_000_000 }), (200, { $0.untilMicros = start }), (200, { $0.token = "ab" }),
    ] as [(Int, (inout Fault) -> Void)] {
      #expect(try handling(hit, change).0.answer?.status == status)
    }
  }

  @Test func aCountedFaultEndsByItselfAndOthersByCommand() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.behaviour.priority10PerHour = 100 }
    var fault = Fault(.answer(status: 500, reason: "InternalServerError"))
    fault.count = 2
    _ = bench.world.add([fault])
    #expect(try (0..<3).map { _ in try bench.tell(phone, "accepted").answer?.status } == [500, 500, 200])
    fault.count = nil
    let id = try #require(bench.world.add([fault]).first)
    #expect(try bench.tell(phone, "accepted").answer?.status == 500)
    bench.world.endFault(id)
    #expect(try bench.tell(phone, "accepted").answer?.status == 200)
    #expect(bench.records(.violation).isEmpty)
  }

  @Test func errorsLowerTheLimitAndTooManyCloseTheConnection() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    #expect(bench.connection.streamLimit == 1)
    try bench.tell(phone, "accepted")
    #expect(bench.connection.streamLimit == 500)
    var effects: [ProviderConnection.Effect] = []
    for _ in 0..<20 { effects += bench.push("/3/device/abcd", "{}").effects }
    #expect(effects == [.streamLimit(1), .goAway(data: Array(#"{"reason":"BadDeviceToken"}"#.utf8))])
    try bench.tell(phone, "accepted")
    #expect(bench.connection.streamLimit == 500)
  }

  @Test func goneTokensAreNoErrors() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.act(.killToken)
    for second in 0..<300 {
      if second % 15 == 0 { bench.run(1) }
      #expect(try bench.tell(phone, "accepted").effects.isEmpty)
    }
  }
}
