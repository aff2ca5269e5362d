/// The figures of one run. `json` prints them in a fixed order with fixed decimals, so that a recount can be compared
/// letter by letter.
public struct Figures {
  public internal(set) var orders = 0
  public internal(set) var events = 0
  /// Accepted pushes by event; refused ones by status.
  public internal(set) var pushes: [String: Int] = [:]
  public internal(set) var refused: [String: Int] = [:]
  public internal(set) var priority10 = 0
  public internal(set) var violations: [String: Int] = [:]
  public internal(set) var dropped: [String: Int] = [:]
  public internal(set) var eventsLost = 0
  var sums = LaneSums()

  mutating func count(_ record: TruthRecord) {
    guard record.status == 200 else {
      refused[String(record.status), default: 0] += 1
      return
    }
    pushes[record.word, default: 0] += 1
    if record.priority == 10 { priority10 += 1 }
  }

  public var violationCount: Int { violations.values.reduce(0, +) }
  public var regressionsShown: Int { sums.regressions }
  public var duplicateCards: Int { sums.duplicates }
  public var orphanCards: Int { sums.orphans }
  public var endsUntold: Int { sums.endsUntold }
  public var ringsTwice: Int { sums.ringsTwice }
  /// In millionths.
  public var serverTruthMillionths: Int64 {
    Self.millionths(sums.card.micros - sums.serverWrong.micros, sums.card.micros) ?? 1_000_000
  }
  public var screenTruthMillionths: Int64 {
    let counted = sums.card.micros - sums.screenExcluded.micros
    return Self.millionths(counted - sums.screenWrong.micros, counted) ?? 1_000_000
  }
  public var coverageMillionths: Int64 { Self.millionths(sums.covered.micros, sums.reachable.micros) ?? 1_000_000 }

  public var json: [UInt8] {
    var text = JSONText()
    text.add("orders", Int64(orders))
    text.add("events", Int64(events))
    var kinds = JSONText()
    for kind in ["start", "update", "end", "alert", "background"] as [StaticString] {
      kinds.add(kind, Int64(pushes["\(kind)"] ?? 0))
    }
    text.add("pushes", json: kinds.closed())
    text.add("pushesPerOrder", json: Self.ratio(Int64(pushes.values.reduce(0, +)), Int64(orders)))
    text.add("serverTruth", json: Self.ratio(sums.card.micros - sums.serverWrong.micros, sums.card.micros))
    let screen = sums.card.micros - sums.screenExcluded.micros
    text.add("screenTruth", json: Self.ratio(screen - sums.screenWrong.micros, screen))
    text.add("coverage", json: Self.ratio(sums.covered.micros, sums.reachable.micros))
    text.add("unreachableShare", json: Self.ratio(sums.live.micros - sums.reachable.micros, sums.live.micros))
    text.add("priority10PerOrder", json: Self.ratio(Int64(priority10), Int64(orders)))
    addCounts(to: &text)
    addTimes(to: &text)
    addApart(to: &text)
    return text.closed()
  }

  private func addCounts(to text: inout JSONText) {
    text.add("regressionsShown", Int64(sums.regressions))
    text.add("duplicateCards", Int64(sums.duplicates))
    text.add("orphanCards", Int64(sums.orphans))
    text.add("endsUntold", Int64(sums.endsUntold))
    text.add("eventsLost", Int64(eventsLost))
    text.add("violations", Int64(violationCount))
    text.add("truthLosses", json: Self.object(sums.losses.mapValues { Self.thousandths($0.micros) }))
    text.add("unconfirmedStarts", Int64(sums.unconfirmedStarts))
    text.add("ringsTwice", Int64(sums.ringsTwice))
    text.add("ringsMissed", Int64(sums.ringsMissed))
    text.add("wrongAfterFaults", Int64(sums.wrongAfterFaults))
  }

  private func addTimes(to text: inout JSONText) {
    let truth = sums.timesToTruth.sorted()
    text.add("timeToTruthP50Ms", json: Self.percentile(truth, 50))
    text.add("timeToTruthP99Ms", json: Self.percentile(truth, 99))
    text.add("timeToTruthMaxMs", json: Self.percentile(truth, 100))
    let push = sums.eventsToPush.sorted()
    text.add("eventToPushP50Ms", json: Self.percentile(push, 50))
    text.add("eventToPushP99Ms", json: Self.percentile(push, 99))
    text.add("etaMaeSeconds", json: Self.ratio(sums.arrivalErrors.micros, sums.arrivals * 1_000_000))
  }

  private func addApart(to text: inout JSONText) {
    text.add("heartbeats", Int64(sums.heartbeats))
    text.add("endRepeats", Int64(sums.endRepeats))
    text.add("shortOverlaps", Int64(sums.shortOverlaps))
    text.add("cardSeconds", json: Self.thousandths(sums.card.micros))
    text.add("reachableSeconds", json: Self.thousandths(sums.reachable.micros))
    text.add("derivedArrivingSeconds", json: Self.thousandths(sums.derivedArriving.micros))
    text.add("unreachableSeconds", json: Self.object(sums.unreachable.mapValues { Self.thousandths($0.micros) }))
    text.add("dropped", json: Self.object(dropped.mapValues { Array(String($0).utf8) }))
    text.add("refused", json: Self.object(refused.mapValues { Array(String($0).utf8) }))
    text.add("violationsByReason", json: Self.object(violations.mapValues { Array(String($0).utf8) }))
  }

  private static func object(_ members: [String: [UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONText.append(name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes += value
    }
    return bytes + [UInt8(ascii: "}")]
  }

  /// Numerator over denominator in millionths, half up; nil without a denominator.
  static func millionths(_ numerator: Int64, _ denominator: Int64) -> Int64? {
    guard denominator > 0, numerator >= 0 else { return nil }
    let (high, low) = numerator.multipliedFullWidth(by: 1_000_000)
    guard high < denominator / 2 else { return nil }
    let (quotient, rest) = denominator.dividingFullWidth((high, low))
    return rest >= denominator - rest ? quotient + 1 : quotient
  }

  /// Six decimals, or null.
  static func ratio(_ numerator: Int64, _ denominator: Int64) -> [UInt8] {
    guard let value = millionths(numerator, denominator) else { return Array("null".utf8) }
    return decimals(value, 6)
  }

  /// Microseconds as seconds with three decimals, cut off.
  static func thousandths(_ micros: Int64) -> [UInt8] { decimals(micros / 1000, 3) }

  /// Nearest rank, as milliseconds with three decimals.
  static func percentile(_ sorted: [Span], _ percent: Int) -> [UInt8] {
    guard !sorted.isEmpty else { return Array("null".utf8) }
    let rank = (sorted.count * percent + 99) / 100
    return decimals(sorted[max(0, rank - 1)].micros, 3)
  }

  private static func decimals(_ value: Int64, _ places: Int) -> [UInt8] {
    let digits = String(value.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let whole = padded.dropLast(places)
    return Array("\(value < 0 ? "-" : "")\(whole).\(padded.suffix(places))".utf8)
  }
}
