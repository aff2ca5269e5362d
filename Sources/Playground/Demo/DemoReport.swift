import Codecs

/// What the phones saw, as the simulator's final answer says it.
public struct DemoReport: Sendable {
  /// The simulator's figures with the run's own, as one JSON object.
  public let line: [UInt8]
  private let figures: [String: Double]
  private let pushes: [String: Int]
  private let losses: [(key: String, value: Double)]

  private static func numbers(_ object: JSONNode) -> [String: Double] {
    var numbers: [String: Double] = [:]
    for (key, value) in object.members {
      if let name = key.string, let number = value.double { numbers[name] = number }
    }
    return numbers
  }

  /// Counts that must be 0 in every run (docs/delivery-semantics.md 7).
  public static let safety = [
    "regressionsShown", "duplicateCards", "orphanCards", "endsUntold", "eventsLost", "violations", "ringsTwice",
  ]

  /// - Parameters:
  ///   - json: the simulator's figures.
  ///   - seconds: real seconds that the run took.
  public init(json: [UInt8], seconds: Double) throws(PlaygroundError) {
    var figures: [String: Double] = ["seconds": seconds]
    var pushes: [String: Int] = [:]
    var losses: [(key: String, value: Double)] = []
    do {
      try JSON.parse(json) { root in
        figures.merge(Self.numbers(root)) { $1 }
        if let kinds = root["pushes"] { pushes = Self.numbers(kinds).mapValues { Int($0) } }
        if let causes = root["truthLosses"] { losses = Self.numbers(causes).sorted { $0.value > $1.value } }
      }
    } catch {
      throw PlaygroundError("the simulator's final answer is not the JSON that was expected: \(error)")
    }
    self.figures = figures
    self.pushes = pushes
    self.losses = losses
    line = json.dropLast() + Array(",\"seconds\":\(Self.decimals(seconds, 1))}".utf8)
  }

  /// The safety counts that are not 0, or not there.
  public var failures: [String] {
    let broken = Self.safety.filter { figures[$0] != 0 }.map { "\($0) is \(text($0, 0)), must be 0" }
    return pushes.values.reduce(0, +) > 0 ? broken : broken + ["nothing was pushed"]
  }

  /// For people, many lines.
  public var text: String {
    var lines = [
      "",
      "\(text("orders", 0)) deliveries, \(text("events", 0)) events, \(text("seconds", 1)) s",
      "pushes    start \(count("start"))   update \(count("update"))   end \(count("end"))   alert \(count("alert"))"
        + "   (\(text("pushesPerOrder", 1)) per order, \(text("priority10PerOrder", 1)) of them at priority 10)",
      "truth     accepted \(text("serverTruth", 6))   shown \(text("screenTruth", 6))"
        + "   coverage \(text("coverage", 6))",
      "          unreachable \(text("unreachableShare", 4)) of the time; true again after "
        + "\(text("timeToTruthP99Ms", 0)) ms (p99)",
    ]
    for loss in losses { lines.append("          \(Self.decimals(loss.value, 1)) card seconds lost to \(loss.key)") }
    lines += [
      "speed     event to push \(text("eventToPushP50Ms", 1)) ms (p50), \(text("eventToPushP99Ms", 1)) ms (p99)",
      "ETA       \(text("etaMaeSeconds", 0)) s mean absolute error of the shown arrival",
      "safety    " + Self.safety.map { "\($0) \(text($0, 0))" }.joined(separator: "   "),
      failures.isEmpty ? "          all as they must be" : "          WRONG: " + failures.joined(separator: "; "),
      "",
    ]
    return lines.joined(separator: "\n")
  }

  private func count(_ kind: String) -> Int { pushes[kind] ?? 0 }

  private func text(_ name: String, _ places: Int) -> String {
    figures[name].map { Self.decimals($0, places) } ?? "unknown"
  }

  /// Rounded half up.
  static func decimals(_ value: Double, _ places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    guard value.isFinite, abs(value) < 1e12 else { return "unknown" }
    let units = Int64((abs(value) * scale) + 0.5)
    let digits = String(units)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let sign = value < 0 && units > 0 ? "-" : ""
    return places == 0 ? sign + padded : "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
  }
}
