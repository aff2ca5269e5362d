import Domain
import Testing

@testable import APNs

@Suite struct LaneGuardTests {
  private func token(_ number: Int) throws -> PushToken {
    try #require(PushToken(bytes: (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }))
  }

  @Test func aBadTokenOnAProvenLaneIsDead() throws {
    var lane = LaneGuard(seed: 1)
    lane.answered(accepted: true, now: 0)
    #expect(lane.badToken(try token(1), isProbe: false, now: 1).0 == .dead)
  }

  @Test func onAnUnprovenLaneTheSecondVerdictCounts() throws {
    var lane = LaneGuard(seed: 1)
    #expect(lane.badToken(try token(1), isProbe: false, now: 0).0 == .unproven)
    #expect(lane.badToken(try token(2), isProbe: false, now: 0).0 == .unproven)
    #expect(lane.badToken(try token(1), isProbe: false, now: 1).0 == .dead)
  }

  @Test func aWholeRegistrySurvivesTheWrongEnvironment() throws {
    var lane = LaneGuard(seed: 1)
    var verdicts: [LaneGuard.Verdict] = []
    var openings = 0
    for number in 0..<200 {
      let (verdict, opened) = lane.badToken(try token(number), isProbe: false, now: Double(number) / 10)
      verdicts.append(verdict)
      openings += opened ? 1 : 0
    }
    #expect(!verdicts.contains(.dead))
    #expect(openings == 1)
    #expect(lane.circuit.isOpen)
  }

  @Test func amongManyGoodAnswersAFifthIsTooMuch() throws {
    var lane = LaneGuard(seed: 1)
    var opened = false
    var dead = 0
    for number in 0..<500 where !opened {
      lane.answered(accepted: true, now: 0)
      lane.answered(accepted: true, now: 0)
      lane.answered(accepted: true, now: 0)
      let (verdict, opens) = lane.badToken(try token(number), isProbe: false, now: 0)
      opened = opens
      dead += verdict == .dead ? 1 : 0
    }
    #expect(opened)
    #expect(dead == 24, "a quarter is bad: the guard looks from 100 answers on")
  }

  @Test func below20PercentTokensAreGivenUp() throws {
    var lane = LaneGuard(seed: 1)
    for number in 0..<1000 {
      for _ in 0..<9 { lane.answered(accepted: true, now: Double(number) / 100) }
      #expect(lane.badToken(try token(number), isProbe: false, now: Double(number) / 100).0 == .dead)
    }
  }

  @Test func whatIsOlderThanTheWindowDoesNotCount() throws {
    var lane = LaneGuard(seed: 1)
    for number in 0..<9 { _ = lane.badToken(try token(number), isProbe: false, now: 0) }
    let later = LaneGuard.windowSeconds * 2
    #expect(lane.badToken(try token(100), isProbe: false, now: later).0 == .unproven)
    lane.answered(accepted: true, now: 0)
    #expect(lane.badToken(try token(101), isProbe: false, now: later).0 == .unproven, "proven long ago is not proven")
  }

  @Test func suspectsAreBounded() throws {
    var lane = LaneGuard(seed: 1)
    for number in 0..<5000 {
      _ = lane.badToken(try token(number), isProbe: false, now: Double(number) * LaneGuard.windowSeconds * 2)
    }
    #expect(lane.suspectCount == LaneGuard.suspectsMax)
  }
}
