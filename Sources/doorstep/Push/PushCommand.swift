import APNs
import Codecs
import Configuration
import Domain
import Runtime
import Service

extension Command {
  /// One push to one token, past the whole pipeline: for debugging a card.
  static let push = Command(
    name: "push", usage: PushCommandOptions.usage + "\n\n" + PushCommandOptions.help,
    summary: "sends one push to one token, or prints the equal curl command"
  ) { arguments in
    do {
      let options = try PushCommandOptions(arguments, environment: ProcessEnvironment.read())
      return try await PushCommand(options: options).run()
    } catch let error as PushCommandError {
      Terminal.error("doorstep push: \(error)\n'doorstep push --help' lists the options")
      return ExitStatus.wrongUse
    } catch {
      Terminal.error("doorstep push: \(error)")
      return ExitStatus.failed
    }
  }
}

struct PushCommand {
  let options: PushCommandOptions

  func run() async throws -> Int32 {
    let clock = SystemClock()
    let push = try makePush(nowSeconds: clock.wall().seconds)
    if options.printsCurl {
      Terminal.print(try CurlCommand.text(push, configuration, nowSeconds: clock.wall().seconds))
      return ExitStatus.done
    }
    let answer = try await send(push, clock: clock)
    report(answer)
    return answer.outcome == .accepted ? ExitStatus.done : ExitStatus.failed
  }

  private var environment: PushEnvironment { options.environment ?? .production }
  /// Another gateway than Apple's has no second environment to ask.
  private var isGuess: Bool { options.environment == nil && options.url == nil }

  private var configuration: APNsConfiguration {
    let environments: Set<PushEnvironment> = isGuess ? [.production, .sandbox] : [environment]
    let key = APNsConfiguration.Key(
      teamID: options.teamID, keyID: options.keyID, file: options.keyFile, environments: environments)
    var configuration = APNsConfiguration(apps: [options.bundleID: [key]])
    if let url = options.url {
      if environment == .sandbox { configuration.sandboxURL = url } else { configuration.productionURL = url }
    }
    configuration.caFile = options.caFile
    configuration.proxy = options.proxy
    (configuration.connectionsMin, configuration.connectionsMax) = (1, 1)
    return configuration
  }

  private func makePush(nowSeconds: Int64) throws -> Push {
    guard let token = options.token else { throw PushCommandError("--token is missing") }
    let kind: Push.Kind =
      switch options.event {
      case .start, .update, .end: .liveActivity
      case .alert: .alert
      case .background: .background
      }
    var push = Push(
      ticket: 1, lane: PushLane(bundleID: options.bundleID, environment: environment), kind: kind, token: token,
      priority: options.priority ?? (kind == .background ? 5 : 10),
      expiration: options.expirationSeconds == 0 ? 0 : nowSeconds + options.expirationSeconds,
      collapseID: options.collapseID, body: try options.payload(nowSeconds: nowSeconds), deadlineSeconds: 15)
    push.environmentIsInferred = isGuess
    return push
  }

  private func send(_ push: Push, clock: SystemClock) async throws -> PushAnswer {
    let store = MemoryProviderTokenStore { clock.wall().seconds }
    let gateway = try APNsGateway(configuration, tokenStore: store, observer: PushCommandObserver())
    let inbox = SingleAnswer()
    try await gateway.start()
    gateway.send([push], answersTo: inbox)
    let answer = await inbox.answer()
    await gateway.drain()
    return answer
  }

  private func report(_ answer: PushAnswer) {
    let outcome = Self.word(answer.outcome)
    let environment = (answer.environment ?? environment).rawValue
    guard options.isJSON else {
      let status = answer.status > 0 ? "\(answer.status) " : ""
      let reason = answer.reason.isEmpty ? "" : " (\(answer.reason))"
      Terminal.print("\(status)\(outcome)\(reason) by \(environment), apns-id \(answer.apnsID)")
      return
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("outcome")
    writer.string(outcome)
    writer.key("status")
    writer.int(answer.status)
    writer.key("reason")
    writer.string(answer.reason)
    writer.key("apnsId")
    writer.string(answer.apnsID)
    writer.key("environment")
    writer.string(environment)
    writer.key("seconds")
    writer.double(answer.seconds)
    writer.endObject()
    Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func word(_ outcome: PushOutcome) -> String {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .tokenDead: "tokenDead"
    case .retry: "retry"
    case .unknown: "unknown"
    case .notSent: "notSent"
    }
  }
}

/// Says on standard error why no connection came up.
private struct PushCommandObserver: APNsObserver {
  func connectionFailed(_ cause: String, environment: PushEnvironment) { Terminal.error("doorstep push: \(cause)") }
  func providerTokenFailed(_ cause: String, keyID: String) { Terminal.error("doorstep push: \(cause)") }
}

/// Waits for the one answer.
private final class SingleAnswer: PushAnswerSink {
  private let held = Lock<PushAnswer?>(nil)
  private let arrived = TimedSignal()

  func answered(_ answers: [PushAnswer]) {
    held.withLock { $0 = answers.first }
    arrived.raise()
  }

  func answer() async -> PushAnswer {
    while true {
      if let answer = held.withLock({ $0 }) { return answer }
      await arrived.wait()
    }
  }
}
