/// One entry of the command line.
struct Command: Sendable {
  let name: String
  /// What follows `doorstep ` in the usage line.
  let usage: String
  let summary: String
  /// Arguments after the command's name -> exit status.
  let run: @Sendable ([String]) async -> Int32
}

extension Command {
  /// Every command there is, in the order of `--help`.
  static let all: [Command] = [
    serve, migrate, config, deadLetters, explain, demo, replay, push, bench, simulate, simulator, broker,
  ]
}

/// Exit statuses that scripts may rely on.
enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let wrongUse: Int32 = 2
  /// EX_CONFIG of sysexits.h.
  static let wrongConfiguration: Int32 = 78
}
