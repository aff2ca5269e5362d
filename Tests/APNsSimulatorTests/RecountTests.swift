import FoundationEssentials
import Testing

@testable import APNsSimulator

/// The stand-alone script and the oracle count the same to the last digit.
@Suite struct RecountTests {
  /// A run with some of everything: mixed phones, lost, late and wrong pushes, a flood of events.
  private func wildRun(seed: UInt64) throws -> Bench {
    let bench = try Bench(seed: seed)
    var random = SeededRandom(seed: seed)
    let names = Behaviour.presets.keys.sorted()
    var phones: [Phone] = []
    for number in 1...12 {
      phones.append(
        try bench.phone("i-\(number)", user: "u-\(number)") { spec in
          spec.behaviour = Behaviour.presets[names[number % names.count]] ?? Behaviour()
          spec.app = AppBuild.allCases[number % AppBuild.allCases.count]
        })
      bench.publish("order.placed", sequence: 1, order: "o-\(number)")
      try bench.place("o-\(number)", by: number % 3 == 0 ? nil : "i-\(number)", user: "u-\(number)")
    }
    let types = ["accepted", "preparing", "ready", "picked_up", "delivering", "arriving", "delivered", "cancelled"]
    let actions = PhoneAction.allCases.filter { ![.reinstall, .restoreBackup, .logIn].contains($0) }
    for step in 0..<400 {
      let at = Int(random.next() % 12)
      let type = types[Int(random.next() % UInt64(min(types.count, 1 + step / 40)))]
      let stage = type == "picked_up" ? "pickedUp" : type
      if random.happens(0.4) { bench.publish("order.\(type)", sequence: step + 2, order: "o-\(at + 1)") }
      if random.happens(0.1), let action = actions.randomElement(using: &random) {
        try bench.act(action, on: "i-\(at + 1)")
      }
      if random.happens(0.1), phones[at].startToken != nil { try bench.start(phones[at], order: "o-\(at + 1)") }
      if phones[at].cards.last?.token != nil {
        let event = random.happens(0.1) ? "end" : "update"
        try bench.tell(
          phones[at], stage, sequence: step, event: event,
          extra: random.happens(0.2) ? #","alert":{"title":"T"}"# : "")
      }
      let from = bench.now
      bench.run(random.unit() * 20)
      if random.happens(0.02) { bench.world.excludeTruth(from: from, until: bench.now) }
    }
    return bench
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func theScriptAgrees(seed: UInt64) throws {
    let bench = try wildRun(seed: seed)
    let figures = bench.world.finish()
    let folder =
      FileManager.default.temporaryDirectory.path + "/doorstep-recount-\(seed)-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write(bench.world.log.records.map(\.line), to: "\(folder)/truth.jsonl")
    try write(bench.world.log.published.map(\.line), to: "\(folder)/published.jsonl")
    try write([figures.json], to: "\(folder)/report.json")
    let script = Tool.repository + "/tools/recount.py"
    let run = try Tool.run("python3", [script, folder, "--compare", "\(folder)/report.json"])
    #expect(run.output.trimmed == String(decoding: figures.json, as: UTF8.self), "seed \(seed)")
    #expect(run.status == 0)
  }

  private func write(_ lines: [[UInt8]], to path: String) throws {
    let file = try LineFile(path: path)
    for line in lines { file.append(line) }
    file.flush()
  }
}
