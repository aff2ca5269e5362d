import APNsSimulator

/// What `doorstep simulate` found over all its seeds.
public struct SimulationReport: Sendable {
  public var seeds = 0
  public var orders = 0
  public var faults = FaultTally()
  /// Broken promises by name.
  public private(set) var violations: [String: Int] = [:]
  /// Seeds with a violation, in order, each with what was broken.
  public private(set) var failures: [(seed: UInt64, broken: [String: Int])] = []
  private var pushes = 0
  private var priority10 = 0
  /// Truths are averaged over worlds, weighted by their orders.
  private var serverTruth = 0.0
  private var screenTruth = 0.0
  private var coverage = 0.0

  public var isClean: Bool { failures.isEmpty }

  mutating func add(_ outcome: WorldOutcome, seed: UInt64, orders count: Int) {
    seeds += 1
    orders += count
    faults.add(outcome.faults)
    pushes += outcome.audit.pushes
    priority10 += outcome.audit.priority10
    let figures = outcome.figures
    let weight = Double(count)
    serverTruth += weight * Double(figures.serverTruthMillionths) / 1_000_000
    screenTruth += weight * Double(figures.screenTruthMillionths) / 1_000_000
    coverage += weight * Double(figures.coverageMillionths) / 1_000_000
    let broken = Self.broken(figures, outcome.audit)
    guard !broken.isEmpty else { return }
    failures.append((seed, broken))
    violations.merge(broken) { $0 + $1 }
  }

  /// The safety counts of docs/delivery-semantics.md 7, and the audit of what was reserved.
  private static func broken(_ figures: Figures, _ audit: Audit) -> [String: Int] {
    var broken = audit.broken
    let counts: [(String, Int)] = [
      ("regressionsShown", figures.regressionsShown), ("duplicateCards", figures.duplicateCards),
      ("orphanCards", figures.orphanCards), ("endsUntold", figures.endsUntold), ("eventsLost", figures.eventsLost),
      ("ringsTwice", figures.ringsTwice),
    ]
    for (reason, count) in figures.violations { broken["simulator.\(reason)"] = count }
    for (name, count) in counts where count > 0 { broken[name] = count }
    return broken
  }

  /// One object, in a fixed order with fixed decimals.
  public var json: String {
    let faultList = FaultKind.allCases.map { "\"\($0.rawValue)\":\(faults.counts[$0] ?? 0)" }.joined(separator: ",")
    let orderCount = max(Double(orders), 1)
    let count = violations.values.reduce(0, +)
    return "{\"seeds\":\(seeds),\"orders\":\(orders),\"faults\":{\(faultList)},\"violations\":\(count)"
      + ",\"serverTruth\":\(Self.decimals(serverTruth / orderCount))"
      + ",\"screenTruth\":\(Self.decimals(screenTruth / orderCount))"
      + ",\"coverage\":\(Self.decimals(coverage / orderCount))"
      + ",\"pushesPerOrder\":\(Self.decimals(Double(pushes) / orderCount))"
      + ",\"priority10PerOrder\":\(Self.decimals(Double(priority10) / orderCount))}"
  }

  private static func decimals(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e9 else { return "null" }
    let millionths = Int64(value * 1_000_000 + 0.5)
    let digits = String(millionths % 1_000_000)
    return "\(millionths / 1_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
