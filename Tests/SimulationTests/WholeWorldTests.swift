import Glibc
import Simulation
import Testing

/// Whole worlds full of faults keep every promise. `TEST_EXTRA=1` plays more of them.
struct WholeWorldTests {
  private static let seeds: ClosedRange<UInt64> = 1...(getenv("TEST_EXTRA") == nil ? 4 : 100)

  private func simulation(orders: Int = 5) throws -> Simulation {
    var settings = Simulation.Settings()
    settings.ordersPerSeed = orders
    return try Simulation(settings: settings)
  }

  @Test func noPromiseIsBroken() async throws {
    let report = try await simulation().run(seeds: Self.seeds)
    let broken = report.failures.map { "seed \($0.seed): \($0.broken)" }
    #expect(broken.isEmpty)
    #expect(report.seeds == Self.seeds.count && report.orders == Self.seeds.count * 5)
  }

  @Test func oneSeedGivesTheSameBits() async throws {
    var texts: [String] = []
    for _ in 0..<2 { texts.append(try await simulation().run(seeds: [UInt64(11)]).json) }
    #expect(texts[0] == texts[1])
  }

  @Test func theseWorldsHaveFaults() async throws {
    let report = try await simulation().run(seeds: Self.seeds)
    let struck = FaultKind.allCases.filter { report.faults.counts[$0, default: 0] > 0 }
    #expect(struck.count >= 8)
    #expect(
      report.faults.counts[.positionLost, default: 0] > 0 && report.faults.counts[.eventDuplicated, default: 0] > 0)
  }
}
