import Domain
import Glibc
import Kafka
import Runtime

/// The whole line with deliveries running through it, watched by the phones.
public struct Demo: Sendable {
  private let options: DemoOptions
  private let stack: Stack
  private let display = ProgressDisplay()

  /// Real seconds that a run may take, so that it stays a thing to wait for.
  static let realSecondsMax = 150.0
  /// Card seconds after the last event until every card must be gone.
  static let settleSecondsMax = 900.0

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
    let control = await stack.control
    try await control.add(phones: scenario.phones)
    let isRegistered = try await Patience.until(within: Stack.readySecondsMax) {
      let health = try await control.health()
      return health.registered >= scenario.phones.count && health.pendingUploads == 0
    }
    try Task.checkCancellation()
    guard isRegistered else { throw PlaygroundError("the phones could not register within a minute") }
    display.say("\(scenario.orders) deliveries, \(scenario.phones.count) phones, \(Int(options.speed)) times life")
    let producer = try await KafkaProducer(brokers: stack.brokers)
    let player = Player(
      scenario: scenario, control: control, producer: producer, speed: options.speed, origin: businessTime())
    let played = await Result { try await player.play { card in try await show(card, of: scenario, control) } }
    await producer.close()
    try played.get()
    try await settle(scenario, control)
    let figures = try await control.finish()
    guard let status = await stack.service?.exitStatus else {
      return try DemoReport(json: figures, seconds: MonotonicClock.now - begin)
    }
    throw PlaygroundError("the service ended with status \(status): \(await stack.service?.lastWords() ?? "")")
  }

  /// Now, on the scaled clock that service and simulator share.
  private func businessTime() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let origin = Instant(seconds: stack.clockOrigin)
    let real = Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    return origin.advanced(by: real.since(origin) * options.speed)
  }

  /// Waits until every card is gone; one that stays is counted by the oracle.
  private func settle(_ scenario: Scenario, _ control: ControlPort) async throws {
    _ = try await Patience.until(within: Self.settleSecondsMax / options.speed) {
      let health = try await control.health()
      if display.isDue { display.show("all published; \(health.runningCards) cards still to end") }
      return health.runningCards == 0
    }
    try Task.checkCancellation()
  }

  private func show(_ card: Double, of scenario: Scenario, _ control: ControlPort) async throws {
    guard display.isDue else { return }
    let health = try await control.health()
    let share = Int(100 * card / scenario.seconds)
    let minutes = Int(card / 60)
    let time = "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    display.show(
      "\(share) %, \(time) h into it: \(health.runningCards) cards on \(health.phones) phones, \(health.pushes) pushes"
        + (health.violations > 0 ? ", \(health.violations) VIOLATIONS" : ""))
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
