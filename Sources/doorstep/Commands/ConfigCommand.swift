import Configuration

extension Command {
  static let config = Command(
    name: "config", usage: "config check | config print", summary: "check or print the configuration, without starting"
  ) { arguments in
    guard arguments.count == 1, let action = arguments.first, ["check", "print"].contains(action) else {
      Terminal.error("usage: doorstep config check | config print")
      return ExitStatus.wrongUse
    }
    return Configured.run { values, _ in
      if action == "print" { for line in values.redactedLines() { Terminal.print(line) } }
      if action == "check" { Terminal.print("the configuration is complete and well formed") }
      return ExitStatus.done
    }
  }
}

/// Reads the configuration and answers for what is wrong with it.
enum Configured {
  static func run(_ body: (SettingValues, Settings) throws -> Int32) -> Int32 {
    do {
      let values = try SettingValues(flags: [:], environment: ProcessEnvironment.read())
      return try body(values, Settings(values))
    } catch { return report(error) }
  }

  static func report(_ error: any Error) -> Int32 {
    Terminal.error("\(error)")
    return error is ConfigurationError ? ExitStatus.wrongConfiguration : ExitStatus.failed
  }
}
