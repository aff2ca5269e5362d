/// One order on one phone, followed through the log: sums of card time, and the safety counts.
struct Lane {
  static let holdOffPlacing = Span.seconds(20)
  static let holdOffOther = Span.seconds(5)
  static let safety = Span.seconds(60)
  static let renewalOverlap = Span.seconds(120)
  /// A start needs a cause no older than this (docs/delivery-semantics.md 1.12).
  static let freshCause = Span.seconds(600)
  /// A card this old is being renewed rather than doubled.
  static let renewalAge = Span.hours(7)

  struct CardState {
    var startedAt: Moment
    var isActive = true
    var isRegistered = false
    var endTold = false
    var byPush: Bool
    var number: Int64?
    /// Time with truth terminal, card standing and token known.
    var alivePastEnd = Span.zero
  }

  let grace: Span
  var sums = LaneSums()
  private(set) var at: Moment
  private var placing = false
  private var placedAt: Moment?
  private var followedAt: Moment?
  private var truth: TruthChange?
  private var told: Steps?
  private var shown: Steps?
  private var reach = ""
  /// Since when a start could be sent.
  private var startSince: Moment?
  private var lag = ""
  private var cards: [Int: CardState] = [:]
  private var shownHighest: Step?
  private var shownEpoch = 0
  private var waitingSince: (real: Moment, step: Step)?
  private var doubledSince: (at: Moment, isRenewal: Bool)?
  private var wrongAtEnd = Span.zero
  private var startsAccepted = 0
  private var rungs: [String: Int] = [:]

  init(grace: Span, at: Moment) {
    self.grace = grace
    self.at = at
  }

  private var standing: [CardState] { cards.values.filter(\.isActive) }
  private var hasCard: Bool { cards.values.contains(where: \.isActive) }

  /// Adds the time since the last event to the sums; `counted` leaves excluded windows out of the truth figures.
  mutating func advance(to moment: Moment, excluded: ExcludedWindows) {
    guard moment > at else { return }
    let from = at
    at = moment
    guard let truth else { return }
    safetySums(grace > Self.graceAtLife ? excluded.counted(from, moment) : [(from, moment)], truth)
    if hasCard, reach == "card", !Self.matches(told, truth.step) {
      sums.wrongAfterFaults += excluded.ends(after: max(from, truth.at + grace), upTo: moment)
    }
    for (start, end) in excluded.counted(from, moment) {
      coverageSums(start, end, truth)
      truthSums(start, end, truth)
    }
  }

  private mutating func coverageSums(_ start: Moment, _ end: Moment, _ truth: TruthChange) {
    guard !truth.step.isTerminal, let placedAt else { return }
    let known = max(placedAt, followedAt ?? placedAt)
    let holdOff = known + (placing ? Self.holdOffPlacing : Self.holdOffOther) + grace
    let length = end - max(start, holdOff)
    guard length > .zero else { return }
    sums.live += length
    let cause = reach == "start" && !hasFreshCause(truth) ? "noFreshCause" : reach
    if cause == "card" || cause == "start" || (cause == "noToken" && hasCard) {
      sums.reachable += length
      if hasCard { sums.covered += length }
    } else {
      sums.unreachable[cause, default: .zero] += length
    }
  }

  /// A phone that came long after the last change gets its card with the next one.
  private func hasFreshCause(_ truth: TruthChange) -> Bool {
    startSince.map { $0 - truth.at <= Self.freshCause } ?? true
  }

  private mutating func truthSums(_ start: Moment, _ end: Moment, _ truth: TruthChange) {
    guard hasCard, reach == "card" else { return }
    let late = end - max(start, truth.at + grace)
    sums.card += end - start
    let serverIsTrue = Self.matches(told, truth.step)
    if serverIsTrue, told?.contains(step: truth.step) != true { sums.derivedArriving += end - start }
    guard late > .zero else { return }
    if !serverIsTrue {
      sums.serverWrong += late
      wrongAtEnd += late
    } else {
      wrongAtEnd = .zero
    }
    guard !Self.matches(shown, truth.step) else { return }
    let cause = serverIsTrue ? (lag.isEmpty ? "unknown" : lag) : "server"
    sums.losses[cause, default: .zero] += late
    if Self.unavoidable.contains(cause) { sums.screenExcluded += late } else { sums.screenWrong += late }
  }

  /// Lags that a perfect server would have had too.
  static let unavoidable: Set<String> = ["delivery", "renderGap", "offline", "noToken"]

  /// `arriving` may be derived from the rider's position before the platform says so.
  static func matches(_ content: Steps?, _ truth: Step) -> Bool {
    guard let content else { return false }
    if content.contains(step: truth) { return true }
    return content.contains(step: .arriving) && (truth == .delivering || truth == .pickedUp)
  }

  /// The grace of a run at 1x: there a restart is shorter than the minute that a card may outlive its order. At other
  /// speeds the seconds of a restart are many minutes of card time: stated fault windows are left out.
  static let graceAtLife = Span(micros: 1_000_000)

  private mutating func safetySums(_ parts: [(Moment, Moment)], _ truth: TruthChange) {
    guard truth.step.isTerminal, reach == "card" else { return }
    for (from, until) in parts {
      for id in cards.keys where cards[id]?.isActive == true && cards[id]?.isRegistered == true {
        cards[id]?.alivePastEnd += max(until - max(from, truth.at), .zero)
      }
    }
  }
}

extension Lane {
  mutating func follow(placing: Bool) {
    self.placing = placing
    followedAt = at
  }

  mutating func truthChanged(_ change: TruthChange) {
    if placedAt == nil { placedAt = change.at }
    truth = change
    wrongAtEnd = .zero
    if hasCard && reach == "card" && !Self.matches(told, change.step) {
      if waitingSince == nil { waitingSince = (change.real, change.step) }
    } else if Self.matches(told, change.step) {
      waitingSince = nil
    }
  }

  mutating func pushed(_ record: TruthRecord) {
    guard record.status == 200 else { return }
    if record.word == "start" { startsAccepted += 1 }
    guard record.word == "start" || record.word == "update" || record.word == "end" else { return }
    if record.word != "start" { countRepeats(record) }
    if !record.stage.isEmpty { told = record.stage }
    guard let truth, let waiting = waitingSince, Self.matches(told, truth.step) else { return }
    let waited = record.real - waiting.real
    sums.timesToTruth.append(waited)
    if waiting.step == truth.step { sums.eventsToPush.append(waited) }
    waitingSince = nil
  }

  private mutating func countRepeats(_ record: TruthRecord) {
    guard let card = cards[record.card] else { return }
    if record.word == "end" {
      if card.endTold { sums.endRepeats += 1 }
      cards[record.card]?.endTold = true
    } else if let number = record.number, card.number == number {
      sums.heartbeats += 1
    }
    cards[record.card]?.number = record.number
  }

  mutating func lagged(_ record: TruthRecord) { lag = record.word }

  mutating func dropped(_ record: TruthRecord) { lag = record.word }

  mutating func reached(_ word: String) {
    startSince = word == "start" ? startSince ?? at : nil
    reach = word
    if word != "card" { waitingSince = nil }
    noteDoubles()
  }

  mutating func cardChanged(_ record: TruthRecord) {
    switch record.word {
    case "started", "pushStarted":
      cards[record.card] = CardState(startedAt: record.at, byPush: record.word == "pushStarted")
      told = told ?? record.stage
    case "registered": cards[record.card]?.isRegistered = true
    case "ended", "dismissed":
      cards[record.card]?.isActive = false
      if !hasCard { waitingSince = nil }
    default: break
    }
    noteDoubles()
  }

  private mutating func noteDoubles() {
    let doubled = standing.filter(\.isRegistered)
    if doubled.count > 1 && reach != "offline" {
      let isRenewal = doubled.contains { at - $0.startedAt >= Self.renewalAge }
      if doubledSince == nil { doubledSince = (at, isRenewal) }
      return
    }
    closeDoubles()
  }

  private mutating func closeDoubles() {
    guard let since = doubledSince else { return }
    doubledSince = nil
    let limit = since.isRenewal ? Self.renewalOverlap : Self.safety
    if at - since.at > limit { sums.duplicates += 1 } else { sums.shortOverlaps += 1 }
  }

  mutating func showed(_ record: TruthRecord, deliveredAt: Moment?) {
    shown = record.stage
    if Self.matches(shown, truth?.step ?? .placed) { lag = "" }
    let epoch = truth?.epoch ?? 0
    if epoch != shownEpoch { shownHighest = nil }
    shownEpoch = epoch
    guard record.stage != .any, let step = record.stage.highest else { return }
    if record.push != 0, let before = shownHighest, step < before, !(step.isTerminal && before.isTerminal) {
      sums.regressions += 1
    }
    shownHighest = max(shownHighest ?? step, step)
    if let arrival = record.arrival, let deliveredAt, !step.isTerminal, record.at < deliveredAt {
      sums.arrivalErrors += Span(micros: abs((Moment(seconds: arrival) - deliveredAt).micros))
      sums.arrivals += 1
    }
  }

  mutating func rang(_ record: TruthRecord) {
    guard !record.stage.isEmpty, record.stage != .any else { return }
    let key = "\(truth?.epoch ?? 0) \(record.stage.text)"
    rungs[key, default: 0] += 1
    if (rungs[key] ?? 0) > 1 { sums.ringsTwice += 1 }
  }

  /// Closes what is open at the end of the run.
  mutating func finish(real: Moment) {
    closeDoubles()
    if let waitingSince { sums.timesToTruth.append(real - waitingSince.real) }
    sums.orphans += cards.values.count { $0.alivePastEnd > Self.safety + grace }
    if truth?.step.isTerminal == true {
      sums.endsUntold += cards.values.count { $0.isActive && !$0.endTold && $0.alivePastEnd > Self.safety + grace }
    }
    if wrongAtEnd > Self.safety + grace { sums.isLost = true }
    let confirmed = cards.values.count { $0.byPush && $0.isRegistered }
    sums.unconfirmedStarts = max(0, startsAccepted - confirmed)
  }

  func hasRung(_ step: Step) -> Bool { rungs["\(truth?.epoch ?? 0) \(step.name)"] != nil }
}
