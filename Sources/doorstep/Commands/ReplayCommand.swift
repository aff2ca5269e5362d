import Playground

extension Command {
  static let replay = Command(
    name: "replay", usage: replayUsage,
    summary: "publishes recorded events to Kafka with original or scaled spacing"
  ) { arguments in
    guard let options = options(arguments) else {
      Terminal.error(
        "usage: doorstep \(replayUsage); N is how many recorded seconds pass in a second, above 0")
      return ExitStatus.wrongUse
    }
    do {
      Terminal.print("\(try await Replay(options: options).run()) events published")
      return ExitStatus.done
    } catch {
      Terminal.error("doorstep replay: \(error)")
      return ExitStatus.failed
    }
  }

  private static let replayUsage = "replay FILE.jsonl [--brokers HOST:PORT,...] [--speed N]"

  private static func options(_ arguments: [String]) -> Replay.Options? {
    var options = Replay.Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--brokers":
        guard let brokers = rest.popFirst() else { return nil }
        options.brokers = brokers
      case "--speed":
        guard let speed = rest.popFirst().flatMap(Double.init), speed > 0, speed.isFinite else { return nil }
        options.speed = speed
      default:
        guard options.file.isEmpty, !argument.hasPrefix("--") else { return nil }
        options.file = argument
      }
    }
    return options.file.isEmpty ? nil : options
  }
}
