import Glibc
import Observability
import Runtime

/// The first SIGTERM or SIGINT asks for a drain; a second one ends the process at once.
final class StopSignal: Sendable {
  private let signal = TimedSignal()
  private let count = Lock(0)

  func watch(reload: Reload) throws {
    try ProcessSignals.watch { [self] received in
      guard received != .hangUp else { return reload.run() }
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

/// What SIGHUP reads anew: keys and certificates. A file that cannot be read leaves the former content in use.
final class Reload: Sendable {
  private let logger: Logger
  private let steps = Lock<[@Sendable () throws -> Void]>([])

  init(logger: Logger) { self.logger = logger }

  func add(_ step: @escaping @Sendable () throws -> Void) { steps.withLock { $0.append(step) } }

  func run() {
    do {
      for step in steps.withLock({ $0 }) { try step() }
      logger.log(.reloaded)
    } catch { logger.log(.reloadFailed, .error(error)) }
  }
}
