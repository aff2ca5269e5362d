import Configuration

extension Command {
  static let config = Command(
    name: "config", usage: "config check | config print [--config FILE]",
    summary: "check or print the configuration, without starting"
  ) { arguments in
    do {
      var arguments = arguments
      let configured = try Configured(&arguments)
      switch arguments {
      case ["print"]: for line in configured.values.redactedLines() { Terminal.print(line) }
      case ["check"]: Terminal.print("the configuration is complete and well formed")
      default:
        Terminal.error("usage: doorstep config check | config print [--config FILE]")
        return ExitStatus.wrongUse
      }
      return ExitStatus.done
    } catch { return Configured.report(error) }
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
    error is ConfigurationError ? wrong(error) : failed(error)
  }

  /// A setting, or a file that a setting names, cannot be used.
  static func wrong(_ error: any Error) -> Int32 {
    Terminal.error("\(error)")
    return ExitStatus.wrongConfiguration
  }

  private static func failed(_ error: any Error) -> Int32 {
    Terminal.error("\(error)")
    return ExitStatus.failed
  }
}
