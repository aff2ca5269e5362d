/// What one lane adds to the figures.
struct LaneSums {
  var live = Span.zero
  var reachable = Span.zero
  var covered = Span.zero
  var unreachable: [String: Span] = [:]
  var card = Span.zero
  var serverWrong = Span.zero
  var screenWrong = Span.zero
  var screenExcluded = Span.zero
  var derivedArriving = Span.zero
  var losses: [String: Span] = [:]
  var timesToTruth: [Span] = []
  var eventsToPush: [Span] = []
  var regressions = 0
  var duplicates = 0
  var shortOverlaps = 0
  var orphans = 0
  var endsUntold = 0
  var heartbeats = 0
  var endRepeats = 0
  var unconfirmedStarts = 0
  var ringsTwice = 0
  var ringsMissed = 0
  /// Cards that were not told the truth when an excluded window ended.
  var wrongAfterFaults = 0
  var arrivalErrors = Span.zero
  var arrivals: Int64 = 0
  var isLost = false

  static func += (left: inout LaneSums, right: LaneSums) {
    left.live += right.live
    left.reachable += right.reachable
    left.covered += right.covered
    left.unreachable.merge(right.unreachable) { $0 + $1 }
    left.card += right.card
    left.serverWrong += right.serverWrong
    left.screenWrong += right.screenWrong
    left.screenExcluded += right.screenExcluded
    left.derivedArriving += right.derivedArriving
    left.losses.merge(right.losses) { $0 + $1 }
    left.timesToTruth += right.timesToTruth
    left.eventsToPush += right.eventsToPush
    left.regressions += right.regressions
    left.duplicates += right.duplicates
    left.shortOverlaps += right.shortOverlaps
    left.orphans += right.orphans
    left.endsUntold += right.endsUntold
    left.heartbeats += right.heartbeats
    left.endRepeats += right.endRepeats
    left.unconfirmedStarts += right.unconfirmedStarts
    left.ringsTwice += right.ringsTwice
    left.ringsMissed += right.ringsMissed
    left.wrongAfterFaults += right.wrongAfterFaults
    left.arrivalErrors += right.arrivalErrors
    left.arrivals += right.arrivals
  }
}

extension Span {
  static func + (left: Span, right: Span) -> Span { Span(micros: left.micros &+ right.micros) }
  static func += (left: inout Span, right: Span) { left = left + right }
}

/// Stretches of card time in which truth is not counted, because a fault was on.
struct ExcludedWindows {
  private var windows: [(from: Moment, until: Moment)] = []

  mutating func add(from: Moment, until: Moment) {
    windows.append((from, until))
    windows.sort { $0.from < $1.from }
  }

  /// How many windows end within the stretch.
  func ends(after from: Moment, upTo until: Moment) -> Int {
    windows.count { $0.until > from && $0.until <= until }
  }

  /// The parts of from..<until that count.
  func counted(_ from: Moment, _ until: Moment) -> [(Moment, Moment)] {
    if windows.isEmpty { return [(from, until)] }
    var parts: [(Moment, Moment)] = []
    var start = from
    for window in windows where window.until > start && window.from < until {
      if window.from > start { parts.append((start, window.from)) }
      start = max(start, window.until)
    }
    if start < until { parts.append((start, until)) }
    return parts
  }
}
