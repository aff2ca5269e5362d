import Runtime
import Synchronization

/// What the probes tell. Everybody reports here; a probe only reads, and never waits for anything.
public final class Health: Sendable {
  /// A loop that must keep turning: each turn beats.
  public final class Heartbeat: Sendable {
    fileprivate let name: String
    fileprivate let ageSecondsMax: Double
    private let last: Atomic<UInt64>

    fileprivate init(name: String, ageSecondsMax: Double) {
      self.name = name
      self.ageSecondsMax = ageSecondsMax
      last = Atomic(MonotonicClock.now.bitPattern)
    }

    public func beat() { last.store(MonotonicClock.now.bitPattern, ordering: .relaxed) }
    fileprivate var ageSeconds: Double {
      MonotonicClock.now - Double(bitPattern: last.load(ordering: .relaxed))
    }
  }

  /// Something that is well or not, as its observer last saw it.
  public final class Condition: Sendable {
    fileprivate struct State: Sendable {
      var isWell: Bool
      var reason: String
      var at: Double
    }

    fileprivate let name: String
    fileprivate let isRequired: Bool
    private let state: Lock<State>

    fileprivate init(name: String, isRequired: Bool) {
      self.name = name
      self.isRequired = isRequired
      state = Lock(State(isWell: false, reason: "not looked at yet", at: MonotonicClock.now))
    }

    public func well() { state.withLock { $0 = State(isWell: true, reason: "", at: MonotonicClock.now) } }
    /// - Parameter reason: for people; no secret and nothing personal.
    public func unwell(_ reason: String) {
      state.withLock { $0 = State(isWell: false, reason: Redaction.masked(reason), at: MonotonicClock.now) }
    }
    fileprivate var current: State { state.withLock { $0 } }
  }

  private struct Checks: Sendable {
    var heartbeats: [Heartbeat] = []
    var conditions: [Condition] = []
    var isDraining = false
  }

  private let checks = Lock(Checks())

  public init() {}

  /// Registers a loop. `/livez` fails when it has not beaten for `ageSecondsMax`.
  public func heartbeat(_ name: String, ageSecondsMax: Double) -> Heartbeat {
    let heartbeat = Heartbeat(name: name, ageSecondsMax: ageSecondsMax)
    checks.withLock { $0.heartbeats.append(heartbeat) }
    return heartbeat
  }

  /// Registers something to know. `/readyz` fails while a required one is not well; others are only told.
  public func condition(_ name: String, isRequired: Bool) -> Condition {
    let condition = Condition(name: name, isRequired: isRequired)
    checks.withLock { $0.conditions.append(condition) }
    return condition
  }

  /// From now on `/readyz` fails: no new work, please.
  public func beginDraining() { checks.withLock { $0.isDraining = true } }

  /// The answer of a probe: whether it passes, and a text that says why not.
  public struct Report: Equatable, Sendable {
    public var passes: Bool
    public var text: String
  }

  public func liveness(verbose: Bool) -> Report {
    let lines = checks.withLock { $0.heartbeats }.map { beat -> Line in
      let age = beat.ageSeconds
      let turns = age <= beat.ageSecondsMax
      return Line(name: beat.name, passes: turns, fails: !turns, note: turns ? "" : "has not turned", age: age)
    }
    return Self.report(lines, verbose: verbose)
  }

  public func readiness(verbose: Bool) -> Report {
    let (conditions, isDraining) = checks.withLock { ($0.conditions, $0.isDraining) }
    var lines = conditions.map { condition -> Line in
      let state = condition.current
      return Line(
        name: condition.name, passes: state.isWell, fails: !state.isWell && condition.isRequired, note: state.reason,
        age: MonotonicClock.now - state.at)
    }
    if isDraining { lines.append(Line(name: "draining", passes: false, fails: true, note: "shutting down", age: 0)) }
    return Self.report(lines, verbose: verbose)
  }

  private struct Line {
    var name: String
    var passes: Bool
    var fails: Bool
    var note: String
    var age: Double

    var text: String {
      "\(passes ? "[+]" : fails ? "[-]" : "[!]") \(name)\(note.isEmpty ? "" : ": " + note) (\(age.tenths) s ago)\n"
    }
  }

  private static func report(_ lines: [Line], verbose: Bool) -> Report {
    let failing = lines.filter(\.fails)
    let shown = (verbose ? lines : failing).map(\.text).joined()
    return Report(passes: failing.isEmpty, text: shown + (failing.isEmpty ? "ok\n" : "not ok\n"))
  }
}

extension Double {
  /// With one digit behind the point.
  fileprivate var tenths: String {
    let tenths = Int64(exactly: (self * 10).rounded()) ?? 0
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
