import Observability
import Runtime

/// A use case that runs until it is told to stop, as a service: started once, drained once.
///
/// The one place where the process starts a task of its own; use cases themselves never do.
final class Loop: ManagedService {
  let name: String
  private let body: @Sendable () async throws -> Void
  /// nil: the body ends by cancellation.
  private let stop: (@Sendable () async -> Void)?
  private let failed: @Sendable (any Error) -> Void
  private let task = Lock<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - stop: asks the body to end of itself; without it the body is cancelled.
  ///   - failed: hears what ended the body before it was asked to stop.
  init(
    name: String, body: @escaping @Sendable () async throws -> Void,
    stop: (@Sendable () async -> Void)? = nil, failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.name = name
    self.body = body
    self.stop = stop
    self.failed = failed
  }

  func start() async throws {
    let (body, failed) = (body, failed)
    task.withLock {
      $0 = Task {
        do { try await body() } catch is CancellationError {} catch { failed(error) }
      }
    }
  }

  func drain() async {
    if let stop { await stop() } else { task.withLock { $0 }?.cancel() }
    await task.withLock { $0 }?.value
  }
}
