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
    for kind in [FaultKind.eventDuplicated, .positionLost, .crashed, .storeAway, .wakeLost, .wakeDoubled] {
      #expect(report.faults.counts[kind, default: 0] > 0, "\(kind)")
    }
  }
}
