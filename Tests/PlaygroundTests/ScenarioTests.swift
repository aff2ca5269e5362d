import Codecs
import Domain
import Testing

@testable import Playground

struct ScenarioTests {
  private func scenario(orders: Int = 120, seconds: Double = Scenario.secondsMax) -> Scenario {
    Scenario(orders: orders, trips: [], seconds: seconds, seed: 1)
  }

  private func events(_ scenario: Scenario) -> [PlannedEvent] {
    scenario.steps.compactMap { if case .event(let event) = $0.step { event } else { nil } }
  }

  @Test func everyOrderEndsWithinTheStretch() {
    let scenario = scenario()
    let orderEvents = events(scenario).filter { !$0.isRiderEvent }
    let ends = orderEvents.filter(\.isTerminal)
    #expect(Set(ends.map(\.subject)).count == 120)
    #expect((orderEvents.map(\.publishedAt).max() ?? .infinity) < scenario.seconds)
    #expect((orderEvents.map(\.happensAt).min() ?? -1) >= 0)
  }

  @Test func manyOrdersRunAtOnce() {
    let orderEvents = events(scenario()).filter { !$0.isRiderEvent }
    let lives = Dictionary(grouping: orderEvents, by: \.subject).values.map { life in
      (from: life.map(\.happensAt).min() ?? 0, to: life.map(\.happensAt).max() ?? 0)
    }
    let busiest = stride(from: 0.0, to: Scenario.secondsMax, by: 60).map { second in
      lives.filter { $0.from <= second && second < $0.to }.count
    }.max()
    #expect((busiest ?? 0) >= 30)
  }

  @Test func theStreamHasDuplicatesAndLateEvents() {
    let events = events(scenario())
    let late = events.filter { $0.publishedAt > $0.happensAt && !$0.isRiderEvent }
    let ids = events.map { String(decoding: $0.json(origin: Instant(seconds: 0)), as: UTF8.self) }
    #expect(late.count > 10)
    #expect(Set(ids).count < ids.count - 20)
  }

  @Test func stepsAreInOrderOfTime() {
    let times = scenario().steps.map(\.at)
    #expect(times == times.sorted())
  }

  @Test func everyEventIsOneThatTheDecoderTakes() {
    let now = Instant(seconds: 1_800_000_000)
    let decoder = EventDecoder()
    let refused = events(scenario(orders: 60)).compactMap { event -> String? in
      let value = event.json(origin: now.advanced(by: -Scenario.secondsMax))
      let decoded = decoder.decode(
        topicRole: event.isRiderEvent ? .riders : .orders, topic: "t", key: Array(event.subject.utf8), value: value,
        headers: [], now: now)
      if case .event = decoded { return nil }
      return "\(event.type): \(decoded)"
    }
    #expect(refused == [])
  }

  @Test func aShortStretchHasShorterLives() {
    let scenario = scenario(orders: 20, seconds: 150)
    #expect((events(scenario).map(\.publishedAt).max() ?? .infinity) < 160)
  }

  @Test func timesAreWrittenAsTheDecoderReadsThem() {
    for seconds in stride(from: Int64(0), to: 4_000_000_000, by: 86_399 * 13) {
      let instant = Instant(microseconds: seconds * 1_000_000 + 123_456)
      #expect(RFC3339.parse(instant.rfc3339) == instant)
    }
  }
}
