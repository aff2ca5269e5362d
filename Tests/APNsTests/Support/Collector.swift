import APNs
import Domain
import Runtime
import Service

/// Takes the answers and lets a test wait for them.
final class Collector: PushAnswerSink {
  private let answers = Lock<[PushAnswer]>([])
  private let changed = TimedSignal()

  func answered(_ batch: [PushAnswer]) {
    answers.withLock { $0 += batch }
    changed.raise()
  }

  var all: [PushAnswer] { answers.withLock { $0 } }

  /// Waits until there are `count` answers; what there is after the time, in the order of tickets.
  func first(_ count: Int, seconds: Double = 20) async -> [PushAnswer] {
    let deadline = MonotonicClock.now + seconds
    while all.count < count, MonotonicClock.now < deadline { await changed.wait(seconds: 0.05) }
    return all.sorted { $0.ticket < $1.ticket }
  }
}

extension [PushAnswer] {
  func count(_ outcome: PushOutcome) -> Int { count { $0.outcome == outcome } }
  var retries: Int {
    count {
      if case .retry = $0.outcome { true } else { false }
    }
  }
}

/// Remembers what the gateway reported.
final class RecordingObserver: APNsObserver {
  struct Heard {
    var circuits: [CircuitChange] = []
    var goAways: [String] = []
    var failures: [String] = []
    var counts = ConnectionCounts()
    var badTokens: [Bool] = []
    var tokenFailures: [String] = []
    var mostStreams = 0
  }

  private let heard = Lock(Heard())
  private let changed = TimedSignal()

  var now: Heard { heard.withLock { $0 } }

  func eventually(seconds: Double = 20, _ condition: (Heard) -> Bool) async -> Bool {
    let deadline = MonotonicClock.now + seconds
    while !condition(now) {
      guard MonotonicClock.now < deadline else { return false }
      await changed.wait(seconds: 0.05)
    }
    return true
  }

  private func note(_ body: (inout Heard) -> Void) {
    heard.withLock { body(&$0) }
    changed.raise()
  }

  func connections(_ counts: ConnectionCounts, keyID: String, environment: PushEnvironment) {
    note { $0.counts = counts }
  }
  func streams(_ open: Int, keyID: String, environment: PushEnvironment) {
    note { $0.mostStreams = max($0.mostStreams, open) }
  }
  func goAway(reason: String, environment: PushEnvironment) { note { $0.goAways.append(reason) } }
  func connectionFailed(_ cause: String, environment: PushEnvironment) { note { $0.failures.append(cause) } }
  func circuit(_ change: CircuitChange) { note { $0.circuits.append(change) } }
  func badToken(_ lane: PushLane, reason: String, isGivenUp: Bool) { note { $0.badTokens.append(isGivenUp) } }
  func providerTokenFailed(_ cause: String, keyID: String) { note { $0.tokenFailures.append(cause) } }
}
