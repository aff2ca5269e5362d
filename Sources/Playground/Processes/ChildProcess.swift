import Glibc
import Runtime

/// A program that runs beside this process and never outlives it, however this process ends.
///
/// The child is in a process group of its own, so that Ctrl-C in a terminal reaches only this process, which then ends
/// its children in order. Its output goes to a log file.
public final class ChildProcess: Sendable {
  private struct State {
    /// 0 until started.
    var pid: pid_t = 0
    /// Nil while it runs.
    var status: Int32?
  }

  public let name: String
  public let logPath: String
  private let ended = TimedSignal()
  /// Signals are sent under this lock: once a child was waited for, its number may be another's.
  private let state = Lock(State())

  private init(name: String, logPath: String) {
    self.name = name
    self.logPath = logPath
  }

  /// Starts `program`, found on the PATH unless it holds a `/`.
  ///
  /// - Parameters:
  ///   - environment: the whole environment of the child besides PATH, HOME, LANG and LD_LIBRARY_PATH.
  ///   - logPath: standard output and error are appended to it.
  public static func start(
    name: String, program: String, arguments: [String], environment: [String: String] = [:], logPath: String
  ) async throws(PlaygroundError) -> ChildProcess {
    let launch = Launch(
      arguments: ["setpriv", "--pdeathsig", "KILL", "--", program] + arguments, environment: environment,
      logPath: logPath)
    let child = ChildProcess(name: name, logPath: logPath)
    let failure: SystemError? = await withCheckedContinuation { continuation in
      // The kernel sends the death signal when the *thread* that started a child ends, so the thread that starts it
      // also waits for its end.
      SystemThread(name: name) { [state = child.state, ended = child.ended] in
        do throws(SystemError) {
          let pid = try launch.spawn()
          state.withLock { $0.pid = pid }
          continuation.resume(returning: nil)
          let status = launch.waitForEnd(of: pid)
          state.withLock { $0.status = status }
          ended.raise()
        } catch {
          continuation.resume(returning: error)
        }
      }.detach()
    }
    if let failure { throw PlaygroundError("cannot start \(program): \(failure)") }
    return child
  }

  deinit { kill() }

  /// The executable that this process runs.
  public static var thisProgram: String {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &path, path.count)
    return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  public var pid: pid_t { state.withLock { $0.pid } }

  /// How it ended: its exit status, or 128 plus the signal that ended it; nil while it runs.
  public var exitStatus: Int32? { state.withLock { $0.status } }

  /// Waits for its end, at most `seconds`; nil when it still runs then.
  public func exit(within seconds: Double) async -> Int32? {
    let deadline = MonotonicClock.now + seconds
    while exitStatus == nil {
      let left = deadline - MonotonicClock.now
      guard left > 0, !Task.isCancelled else { break }
      await ended.wait(seconds: left)
    }
    return exitStatus
  }

  public func terminate() { send(SIGTERM) }
  public func kill() { send(SIGKILL) }

  private func send(_ signal: Int32) {
    state.withLock { state in
      if state.pid > 0, state.status == nil { _ = Glibc.kill(state.pid, signal) }
    }
  }

  /// The last lines of its log, for messages of failure.
  public func lastWords(lines: Int = 5) -> String {
    (TextFile.read(logPath) ?? "").split(separator: "\n").suffix(lines).joined(separator: "\n")
  }
}

/// Why a part of the playground does not run, and what to do about it.
public struct PlaygroundError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
