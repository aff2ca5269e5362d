import Glibc
import Observability
import Runtime

/// The first SIGTERM or SIGINT asks for a drain; a second one ends the process at once.
final class StopSignal: Sendable {
  private let signal = TimedSignal()
  private let count = Lock(0)

  func watch(logger: Logger) throws {
    try ProcessSignals.watch([.terminate, .interrupt]) { [self] _ in
      let nth = count.withLock { count in
        count += 1
        return count
      }
      if nth > 1 { _exit(ExitStatus.failed) }
      signal.raise()
    }
  }

  func wait() async {
    while count.withLock({ $0 }) == 0 && !Task.isCancelled { await signal.wait(seconds: nil) }
    // Another waiter may be there too.
    signal.raise()
  }
}
