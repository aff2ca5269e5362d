import Glibc
import Runtime

/// Writes events as lines.
///
/// A repeated event is limited: after `repeatsMax` lines in `windowSeconds` the rest is counted, and the next line of
/// that event says how many were left out.
public final class Logger: Sendable {
  public static let repeatsMax = 20
  public static let windowSeconds = 10.0

  private struct Window: Sendable {
    var startedAt: Double
    var lines = 0
    var suppressed = 0
  }

  public let level: LogLevel
  private let format: LogFormat
  private let clock: @Sendable () -> (wallMicroseconds: Int64, monotonic: Double)
  private let write: @Sendable ([UInt8]) -> Void
  private let windows = Lock<[String: Window]>([:])

  /// - Parameter write: takes one whole line with its line break; by default standard error.
  public init(
    level: LogLevel = .info, format: LogFormat = .json,
    clock: @escaping @Sendable () -> (wallMicroseconds: Int64, monotonic: Double) = Logger.systemClock,
    write: @escaping @Sendable ([UInt8]) -> Void = Logger.standardError
  ) {
    self.level = level
    self.format = format
    self.clock = clock
    self.write = write
  }

  /// Logs nothing.
  public static let silent = Logger(level: .error, write: { _ in })

  public func log(_ event: LogEvent, _ fields: LogField...) {
    guard event.level >= level else { return }
    let now = clock()
    guard let suppressed = admit(event, at: now.monotonic) else { return }
    let line = LogLine(event: event, fields: fields, suppressed: suppressed, wallMicroseconds: now.wallMicroseconds)
    write(format == .json ? line.json() : line.text())
  }

  /// nil when the line is to be left out; else how many were left out before it.
  private func admit(_ event: LogEvent, at now: Double) -> Int? {
    let name = "\(event.name)"
    return windows.withLock { windows in
      var window = windows[name] ?? Window(startedAt: now)
      defer { windows[name] = window }
      let suppressed = window.suppressed
      if now - window.startedAt >= Self.windowSeconds { window = Window(startedAt: now) }
      guard window.lines < Self.repeatsMax else {
        window.suppressed += 1
        return nil
      }
      window.lines += 1
      window.suppressed = 0
      return suppressed
    }
  }

  @Sendable public static func systemClock() -> (wallMicroseconds: Int64, monotonic: Double) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return (Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000, MonotonicClock.now)
  }

  @Sendable public static func standardError(_ line: [UInt8]) {
    var rest = line[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(written, 0))
    }
  }

  /// Whether standard error is a terminal, for choosing `text` when nobody chose.
  public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
