import APNsSimulator

/// The seeded whole-world simulation: many small worlds, each decided by its seed alone.
public struct Simulation {
  public struct Settings: Sendable {
    public var ordersPerSeed = 20
    /// Time within which the orders of one world are placed, seconds.
    public var withinSeconds = 3_600.0

    public init() {}
  }

  private let settings: Settings
  private let world: World.Settings
  private let token: ProviderTokenSource

  public init(settings: Settings = Settings()) throws {
    self.settings = settings
    world = World.Settings()
    token = try ProviderTokenSource(teamID: world.teamID)
  }

  /// Plays one world after the other; `progress` hears of each.
  public func run(
    seeds: some Sequence<UInt64>, progress: (SimulationReport) -> Void = { _ in }
  ) async throws -> SimulationReport {
    var report = SimulationReport()
    for seed in seeds {
      var worldSettings = world
      worldSettings.seed = seed
      token.forget()
      let simulated = try SimulatedWorld(
        seed: seed, orders: settings.ordersPerSeed, withinSeconds: settings.withinSeconds, token: token,
        settings: worldSettings)
      report.add(try await simulated.play(), seed: seed, orders: settings.ordersPerSeed)
      progress(report)
    }
    return report
  }
}
