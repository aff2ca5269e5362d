import CSystem
import Glibc

/// A signal that asks something of the whole process.
public enum ProcessSignal: CaseIterable, Sendable {
  case terminate, interrupt, hangUp

  fileprivate var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangUp: SIGHUP
    }
  }
}

/// Signals of the process, handed to a callback on a thread of its own.
///
/// The handler only writes a byte to a pipe; no signal is masked, so child processes start with a clean mask.
public enum ProcessSignals {
  /// Calls `handler` for each of `signals` from now on, until the process ends. Call once, in `main`.
  public static func watch(
    _ signals: [ProcessSignal] = ProcessSignal.allCases, handler: @escaping @Sendable (ProcessSignal) -> Void
  ) throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError.last("pipe for signals") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let readEnd = ends[0]
    SystemThread(name: "signals") {
      var byte: UInt8 = 0
      while true {
        let count = read(readEnd, &byte, 1)
        if count == 1, let signal = ProcessSignal.allCases.first(where: { $0.number == Int32(byte) }) {
          handler(signal)
        } else if count == 0 || (count < 0 && errno != EINTR) {
          return
        }
      }
    }.detach()
    for signal in signals where csystem_watch_signal(signal.number, ends[1]) != 0 {
      throw SystemError.last("sigaction \(signal)")
    }
  }

  /// Keeps SIGPIPE away from the calling thread, whatever the process does about it.
  static func blockBrokenPipes() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Lets a write to a closed socket fail with EPIPE instead of ending the process.
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }
}
