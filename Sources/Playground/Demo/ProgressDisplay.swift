import Glibc
import Runtime

/// How far a run is, on standard error: one line that redraws itself on a terminal, a line now and then elsewhere.
final class ProgressDisplay: Sendable {
  private static let terminalGapSeconds = 0.25
  private static let plainGapSeconds = 15.0

  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let lastShown = Lock(-Double.infinity)

  /// A step of the set-up or of the end: always shown, on a line of its own.
  func say(_ text: String) { write((isTerminal ? "\r\u{1B}[K" : "") + text + "\n") }

  /// Whether a new line is due; ask before gathering what it says.
  var isDue: Bool {
    let now = MonotonicClock.now
    return lastShown.withLock { last in
      guard now - last >= (isTerminal ? Self.terminalGapSeconds : Self.plainGapSeconds) else { return false }
      last = now
      return true
    }
  }

  func show(_ text: String) { write(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n") }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
