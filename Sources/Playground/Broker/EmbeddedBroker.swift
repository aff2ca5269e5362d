import Runtime

/// The embedded Kafka broker, run as a process of its own that ends with this one.
public final class EmbeddedBroker: Sendable {
  static let startTimeoutSeconds = 30.0
  private static let lookAgainSeconds = 0.02

  /// What clients are given as `bootstrap.servers`.
  public let brokers: String
  private let process: ChildProcess

  private init(brokers: String, process: ChildProcess) {
    self.brokers = brokers
    self.process = process
  }

  /// Starts `executable broker` and waits until it listens.
  /// - Parameters:
  ///   - executable: path of the `doorstep` program.
  ///   - topics: partitions by topic name.
  ///   - folder: where its log is kept.
  public static func start(
    executable: String, topics: [String: Int], folder: String
  ) async throws(PlaygroundError) -> EmbeddedBroker {
    let arguments = topics.sorted { $0.key < $1.key }.flatMap { ["--topic", "\($0.key):\($0.value)"] }
    let process = try await ChildProcess.start(
      name: "broker", program: executable, arguments: ["broker"] + arguments, logPath: folder + "/broker.log")
    let deadline = MonotonicClock.now + startTimeoutSeconds
    while MonotonicClock.now < deadline {
      if let brokers = listening(process) { return EmbeddedBroker(brokers: brokers, process: process) }
      guard await process.exit(within: lookAgainSeconds) == nil else { break }
    }
    process.kill()
    throw PlaygroundError("the embedded Kafka broker did not start: \(process.lastWords())")
  }

  private static func listening(_ process: ChildProcess) -> String? {
    guard let log = TextFile.read(process.logPath) else { return nil }
    let line = log.split(separator: "\n").first { $0.hasPrefix(BrokerProcess.bootstrapLabel) }
    return line.map { String($0.dropFirst(BrokerProcess.bootstrapLabel.count)) }
  }

  public func stop() async {
    process.terminate()
    if await process.exit(within: 5) == nil { process.kill() }
  }
}
