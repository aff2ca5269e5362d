import Kafka
import TestFixtures
import Testing

@testable import Playground

extension EndToEndTests {
  /// A service that is killed in the middle, and bad records in its way: phones end with the truth all the same.
  struct CrashTests {
    private func failures(_ figures: [UInt8]) throws -> [String] { try DemoReport(json: figures, seconds: 0).failures }

    @Test func killedAndStartedAgain() async throws {
      // Slow enough that the group's session timeout is less than a minute of card time.
      try await withStack(speed: 3) { stack in
        try await stack.migrate()
        try await stack.startService()
        let scenario = Scenario(orders: 12, trips: [], seconds: 300, seed: 11)
        let figures = try await ScenarioRun(scenario: scenario, stack: stack).run { moment in
          let restarts = await stack.restarts
          if let card = moment.card, card > 120, restarts == 0 {
            try await stack.killAndRestartService()
          }
        }
        let wrong = try failures(figures)
        #expect(wrong == [], "\(String(decoding: figures, as: UTF8.self))")
        #expect(await stack.restarts == 1)
      }
    }

    @Test func badRecordsCostOnlyThemselves() async throws {
      try await withStack(speed: 100) { stack in
        try await stack.migrate()
        try await stack.startService()
        let scenario = Scenario(orders: 60, trips: [], seconds: 6_000, seed: 12)
        let figures = try await ScenarioRun(scenario: scenario, stack: stack).run { _ in }
        #expect(try failures(figures) == [])
        let consumer = try KafkaConsumer(brokers: await stack.brokers, group: "reader", topics: [Topics.deadLetters])
        var letters: [KafkaRecord] = []
        _ = try await Patience.until(within: 30) {
          letters += try await consumer.poll(limit: 100, waitSeconds: 0.5).records
          return letters.count >= 6
        }
        await consumer.close()
        #expect(letters.count == 6)
        #expect(letters.allSatisfy { $0.headers.contains { $0.name == "__dlq.errors.code" } })
      }
    }
  }
}
