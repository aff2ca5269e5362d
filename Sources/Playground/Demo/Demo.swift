import Runtime

/// The whole line with deliveries running through it, watched by the phones.
public struct Demo: Sendable {
  private let options: DemoOptions
  private let stack: Stack
  private let display = ProgressDisplay()

  /// Real seconds that a run may take, so that it stays a thing to wait for.
  static let realSecondsMax = 150.0

  /// - Parameter program: path of the `doorstep` executable that the parts are started from.
  public init(options: DemoOptions, program: String) throws(PlaygroundError) {
    self.options = options
    stack = try Stack(program: program, speed: options.speed, logs: options.logs)
  }

  /// Runs it and takes everything down again, also when the task is cancelled.
  ///
  /// - Returns: what the phones saw.
  /// - Throws: `PlaygroundError` when a part does not run or a file cannot be read.
  public func run(onReport: (DemoReport) -> Void) async throws {
    do {
      let begin = MonotonicClock.now
      let scenario = try plan()
      try await start()
      let report = try await play(scenario, since: begin)
      onReport(report)
      if options.keep { await leaveRunning() }
      let status = await stack.drainService()
      guard status == 0 || Task.isCancelled else {
        throw PlaygroundError("the service did not drain: \(status.map { "status \($0)" } ?? "it had to be killed")")
      }
    } catch {
      await stack.stop()
      throw error
    }
    await stack.stop()
  }

  private func plan() throws -> Scenario {
    var trips: [Trip] = []
    for file in options.trips {
      let found = try TripReader.trips(in: file)
      let deliveries = found.filter(\.isDeliveryLike)
      guard !deliveries.isEmpty else {
        throw PlaygroundError(
          "none of the \(found.count) trips in \(file) looks like a delivery: 0.8 to 12 km from start to end, by a way "
            + "of at most 1.8 times that")
      }
      display.say("\(file): \(deliveries.count) delivery-like trips of \(found.count)")
      trips += deliveries
    }
    return Scenario(
      orders: options.orders, trips: trips, seconds: Self.realSecondsMax * options.speed, seed: options.seed)
  }

  private func start() async throws {
    display.say("starting PostgreSQL, a Kafka broker and the APNs simulator")
    try await stack.startParts()
    try Task.checkCancellation()
    display.say("migrating the database and starting the service")
    try await stack.migrate()
    try await stack.startService()
  }

  private func play(_ scenario: Scenario, since begin: Double) async throws -> DemoReport {
    display.say("\(scenario.orders) deliveries, \(scenario.phones.count) phones, \(Int(options.speed)) times life")
    let figures = try await ScenarioRun(scenario: scenario, stack: stack).run { moment in
      if display.isDue { display.show(try await moment.text()) }
    }
    return try DemoReport(json: figures, seconds: MonotonicClock.now - begin)
  }

  private func leaveRunning() async {
    let api = stack.apiPort
    let ops = stack.opsPort
    display.say("API http://127.0.0.1:\(api)  probes and metrics http://127.0.0.1:\(ops)")
    display.say("database \(await stack.databaseURL)  Kafka \(await stack.brokers)  logs \(stack.folder.path)")
    display.say("everything runs on until Ctrl-C")
    while !Task.isCancelled { await TimedSignal().wait(seconds: nil) }
  }
}
