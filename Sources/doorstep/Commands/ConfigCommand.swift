import Codecs
import Configuration
import Documents
import Kafka

extension Command {
  static let config = Command(
    name: "config", usage: "config check [--sample FILE] | config print [--config FILE]",
    summary: "check or print the configuration, without starting; what sample records become by the mapping"
  ) { arguments in
    do {
      var arguments = arguments
      let configured = try Configured(&arguments)
      switch arguments {
      case ["print"]: for line in configured.values.redactedLines() { Terminal.print(line) }
      case ["check"]:
        _ = try Mapping(configured.settings)
        Terminal.print("the configuration is complete and well formed")
      default:
        guard arguments.count == 3, arguments[0] == "check", arguments[1] == "--sample" else {
          Terminal.error("usage: doorstep config check [--sample FILE] | config print [--config FILE]")
          return ExitStatus.wrongUse
        }
        return try showSample(arguments[2], configured.settings)
      }
      return ExitStatus.done
    } catch { return Configured.report(error) }
  }

  /// Says record by record what it becomes; fails when one is refused.
  private static func showSample(_ path: String, _ settings: Settings) throws -> Int32 {
    let sample = MappingSample(
      mapping: try Mapping(settings), orderTopics: settings.kafka.orderTopics,
      riderTopics: settings.kafka.riderTopics, now: SystemClock().now())
    let outcomes = sample.outcomes(of: try Document.bytes(of: path))
    for outcome in outcomes { Terminal.print("\(path):\(outcome.line): \(outcome.text)") }
    return outcomes.contains(where: \.isRefused) ? ExitStatus.failed : ExitStatus.done
  }
}

extension Mapping {
  /// The mapping file that the settings name, or the built-in form.
  init(_ settings: Settings) throws(DocumentError) {
    guard let file = settings.kafka.mappingFile else {
      self = .builtIn
      return
    }
    try self.init(Document.read(path: file))
  }
}

extension KafkaProperties {
  init(_ settings: Settings.Kafka) throws(KafkaError) {
    try self.init(settings.properties.map { ($0.key, $0.value.text) })
  }
}

/// The configuration of a command, from `--config FILE` and the environment.
struct Configured {
  let settings: Settings
  let values: SettingValues

  /// Takes `--config FILE` out of the arguments.
  init(_ arguments: inout [String]) throws(ConfigurationError) {
    var file: String?
    if let index = arguments.firstIndex(of: "--config") {
      guard index + 1 < arguments.count else {
        throw ConfigurationError(setting: "--config", problem: "has no value", expected: "the path of a file")
      }
      file = arguments[index + 1]
      arguments.removeSubrange(index...index + 1)
    }
    (settings, values) = try Settings.load(environment: ProcessEnvironment.read(), file: file)
  }

  /// Says what is wrong. - Returns: the exit status that goes with it.
  static func report(_ error: any Error) -> Int32 {
    if isConfiguration(error) { return wrong(error) }
    Terminal.error("\(error)")
    return ExitStatus.failed
  }

  /// A setting, or a file that a setting names, cannot be used.
  static func wrong(_ error: any Error) -> Int32 {
    Terminal.error("\(error)")
    return ExitStatus.wrongConfiguration
  }

  private static func isConfiguration(_ error: any Error) -> Bool {
    error is ConfigurationError || error is DocumentError || (error as? KafkaError)?.kind == .configuration
  }
}
