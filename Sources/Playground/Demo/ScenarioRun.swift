import Domain
import Glibc
import Kafka
import Runtime

/// A scenario on a running stack: phones register, events are published, cards come and go, the oracle sums up.
struct ScenarioRun {
  /// How far a run is.
  struct Moment {
    /// Card seconds since the scenario's beginning; nil when everything was published.
    var card: Double?
    let scenario: Scenario
    let control: ControlPort

    func text() async throws -> String {
      let health = try await control.health()
      let violations = health.violations > 0 ? ", \(health.violations) VIOLATIONS" : ""
      guard let card else { return "all published; \(health.runningCards) cards still to end\(violations)" }
      let minutes = Int(card / 60)
      let time = "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
      return "\(Int(100 * card / scenario.seconds)) %, \(time) h into it: \(health.runningCards) cards on "
        + "\(health.phones) phones, \(health.pushes) pushes\(violations)"
    }
  }

  let scenario: Scenario
  let stack: Stack

  /// Card seconds after the last event until every card must be gone.
  private static let settleSecondsMax = 900.0
  /// Real seconds that are waited for that at most.
  private static let settleRealSecondsMax = 20.0

  /// The simulator's final figures, as JSON. `progress` is called now and then.
  func run(progress: (Moment) async throws -> Void) async throws -> [UInt8] {
    let control = await stack.control
    try await register(control)
    let producer = try KafkaProducer(brokers: await stack.brokers)
    let player = Player(
      scenario: scenario, control: control, producer: producer, speed: stack.speed, origin: businessTime())
    var moment = Moment(card: 0, scenario: scenario, control: control)
    let played = await Result {
      try await player.play { card in
        moment.card = card
        try await progress(moment)
      }
    }
    await producer.close()
    try played.get()
    moment.card = nil
    try await settle(moment, progress)
    return try await control.finish()
  }

  private func register(_ control: ControlPort) async throws {
    try await control.add(phones: scenario.phones)
    let isRegistered = try await Patience.until(within: Stack.readySecondsMax) {
      let health = try await control.health()
      return health.registered >= scenario.phones.count && health.pendingUploads == 0
    }
    try Task.checkCancellation()
    guard isRegistered else { throw PlaygroundError("the phones could not register within a minute") }
  }

  /// Now, on the scaled clock that service and simulator share.
  private func businessTime() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let origin = Instant(seconds: stack.clockOrigin)
    let real = Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    return origin.advanced(by: real.since(origin) * stack.speed)
  }

  /// Waits until every card is gone; one that stays is counted by the oracle.
  private func settle(_ moment: Moment, _ progress: (Moment) async throws -> Void) async throws {
    _ = try await Patience.until(within: min(Self.settleSecondsMax / stack.speed, Self.settleRealSecondsMax)) {
      try await progress(moment)
      return try await moment.control.health().runningCards == 0
    }
    try Task.checkCancellation()
    guard let child = await stack.service, let status = child.exitStatus else { return }
    throw PlaygroundError("the service ended with status \(status): \(child.lastWords())")
  }
}
