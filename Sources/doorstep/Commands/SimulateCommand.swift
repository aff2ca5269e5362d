import Simulation

extension Command {
  static let simulate = Command(
    name: "simulate", usage: "simulate [--seed N | --seeds N] [--orders N] [--days N] [--json]",
    summary: "play seeded worlds full of faults and check every promise"
  ) { arguments in
    guard let options = SimulateOptions(arguments) else {
      Terminal.error("simulate: expected [--seed N | --seeds N] [--orders N] [--days N] [--json], numbers at least 1")
      return ExitStatus.wrongUse
    }
    do { return try await simulate(options) } catch {
      Terminal.error("simulate: \(error)")
      return ExitStatus.failed
    }
  }

  private static func simulate(_ options: SimulateOptions) async throws -> Int32 {
    var settings = Simulation.Settings()
    settings.ordersPerSeed = options.orders
    settings.withinSeconds = options.days.map { Double($0) * 86_400 } ?? settings.withinSeconds
    let report = try await Simulation(settings: settings).run(seeds: options.seeds) { report in
      if !options.isQuiet, report.seeds.isMultiple(of: 100) {
        Terminal.error("\(report.seeds) worlds, \(report.failures.count) with a broken promise")
      }
    }
    if !options.isQuiet { describe(report) }
    Terminal.print(report.json)
    return report.isClean ? ExitStatus.done : ExitStatus.failed
  }

  private static func describe(_ report: SimulationReport) {
    for failure in report.failures {
      let broken = failure.broken.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      Terminal.print("seed \(failure.seed): \(broken); again with: doorstep simulate --seed \(failure.seed)")
    }
  }
}

/// The arguments of `simulate`, understood.
struct SimulateOptions {
  var seeds: ClosedRange<UInt64> = 1...100
  var orders = 20
  var days: Int?
  /// Only the last line.
  var isQuiet = false

  static let seedsMax: UInt64 = 1_000_000
  static let ordersMax = 1_000
  static let daysMax = 30

  /// nil on anything that is not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--json" {
        isQuiet = true
        continue
      }
      guard let number = rest.popFirst().flatMap(UInt64.init), number >= 1 else { return nil }
      switch name {
      case "--seed": seeds = number...number
      case "--seeds" where number <= Self.seedsMax: seeds = 1...number
      case "--orders" where number <= UInt64(Self.ordersMax): orders = Int(number)
      case "--days" where number <= UInt64(Self.daysMax): days = Int(number)
      default: return nil
      }
    }
  }
}
