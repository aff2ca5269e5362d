extension Command {
  /// Benchmarks print one JSON object a line, the main one last.
  static let bench = Command(
    name: "bench", usage: "bench \(benches.map(\.name).joined(separator: " | ")) [options]\n\n\(BenchPushOptions.help)",
    summary: "measures this build against the bare reference, in the same run"
  ) { arguments in
    guard let name = arguments.first, let bench = benches.first(where: { $0.name == name }) else {
      Terminal.error("usage: doorstep bench \(benches.map(\.name).joined(separator: " | "))")
      return ExitStatus.wrongUse
    }
    return await bench.run(Array(arguments.dropFirst()))
  }

  private static let benches: [(name: String, run: @Sendable ([String]) async -> Int32)] = [
    ("push", { await BenchPush.main($0) })
  ]
}
