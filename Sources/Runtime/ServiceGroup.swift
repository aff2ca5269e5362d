/// A part of the process with a life of its own: started once, drained once.
public protocol ManagedService: Sendable {
  var name: String { get }
  /// Returns once the service does its work.
  func start() async throws
  /// Finishes what is in hand and stops. The task is cancelled when the deadline passes.
  func drain() async
}

/// Services that start in order and drain in reverse.
public struct ServiceGroup: Sendable {
  private let services: [any ManagedService]

  public init(_ services: [any ManagedService]) {
    self.services = services
  }

  /// Starts the services in order. When one fails, drains those already started and throws its error.
  public func start(drainTimeoutSeconds: Double) async throws {
    for (index, service) in services.enumerated() {
      do {
        try await service.start()
      } catch {
        _ = await ServiceGroup(Array(services[..<index])).drain(timeoutSeconds: drainTimeoutSeconds)
        throw error
      }
    }
  }

  /// Drains the services in reverse, all within `timeoutSeconds` of real time.
  ///
  /// - Returns: the names of those that had not finished when the time was over; they were cancelled, not awaited.
  public func drain(timeoutSeconds: Double) async -> [String] {
    let deadline = MonotonicClock.now + timeoutSeconds
    var late: [String] = []
    for service in services.reversed() where await !drains(service, by: deadline) {
      late.append(service.name)
    }
    return late
  }

  /// A drain that ignores cancellation must not hold up the others, so it runs in a task that nobody awaits.
  private func drains(_ service: any ManagedService, by deadline: Double) async -> Bool {
    let ended = TimedSignal()
    let finished = Lock(false)
    let task = Task {
      await service.drain()
      finished.withLock { $0 = true }
      ended.raise()
    }
    await ended.wait(seconds: max(0.001, deadline - MonotonicClock.now))
    let inTime = finished.withLock { $0 }
    if !inTime { task.cancel() }
    return inTime
  }
}
