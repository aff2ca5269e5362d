import Glibc
import Runtime

/// The command line: a table of commands, nothing else. Each command answers with its exit status.
@main
struct Doorstep {
  static let version = "0.1.0"

  static func main() async {
    ProcessSignals.ignoreBrokenPipes()
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first else {
      Terminal.error(usage)
      exit(ExitStatus.wrongUse)
    }
    arguments.removeFirst()
    switch name {
    case "--help", "-h", "help": Terminal.print(usage)
    case "--version": Terminal.print("doorstep \(version)")
    default:
      guard let command = Command.all.first(where: { $0.name == name }) else {
        Terminal.error("doorstep has no command '\(name)'; 'doorstep --help' lists them")
        exit(ExitStatus.wrongUse)
      }
      if arguments.contains("--help") || arguments.contains("-h") {
        Terminal.print("usage: doorstep \(command.usage)\n\n\(command.summary)")
      } else {
        exit(await command.run(arguments))
      }
    }
  }

  private static var usage: String {
    let width = Command.all.map(\.name.count).max() ?? 0
    let lines = Command.all.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
    }
    return """
      Doorstep keeps the phone's Lock Screen telling the truth about a delivery.

      usage: doorstep COMMAND [options]      (doorstep COMMAND --help)

      \(lines.joined(separator: "\n"))
      """
  }
}
