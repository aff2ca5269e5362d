import Dispatch
import Postgres
import Runtime

/// Holds a store's sessions before each statement until the test lets it go on.
final class Stepper: Sendable {
  enum Place: Equatable {
    case running
    case atStatement(String)
    case finished
  }

  private let place = Lock(Place.running)
  private let isFree = Lock(false)
  private let permits = Lock(DispatchSemaphore(value: 0))
  private let moved = TimedSignal()

  /// Settings of a session that this stepper holds.
  var settings: PostgresSettings {
    var settings = PostgresSettings()
    settings.beforeStatement = { [self] name in
      guard !isFree.withLock({ $0 }) else { return }
      place.withLock { $0 = .atStatement(name) }
      moved.raise()
      permits.withLock { $0 }.wait()
    }
    return settings
  }

  var current: Place { place.withLock { $0 } }

  /// Lets the one statement go that is held.
  func step() {
    place.withLock { $0 = .running }
    permits.withLock { $0 }.signal()
  }

  /// Holds the next operation from its first statement on.
  func begin() {
    permits.withLock { $0 = DispatchSemaphore(value: 0) }
    isFree.withLock { $0 = false }
    place.withLock { $0 = .running }
  }

  /// From now on nothing is held.
  func release() {
    isFree.withLock { $0 = true }
    step()
  }

  func finish() {
    place.withLock { $0 = .finished }
    moved.raise()
  }

  /// Waits until the operation is held again or has finished; false when it waits for a lock in the database.
  func settled(isBlocked: () async throws -> Bool) async throws -> Bool {
    while current == .running {
      await moved.wait(seconds: 0.002)
      if current == .running, try await isBlocked() { return false }
    }
    return true
  }
}
