import Glibc
import Runtime

/// Cuts connections on which a request takes too long to come in.
///
/// The library's own time-out counts from the last byte: a client that sends one now and then would hold its
/// connection for ever.
final class ReadDeadlines: Sendable {
  private static let lookSeconds = 1.0

  private struct Reading: Sendable {
    var descriptor: Int32
    /// nil while a request is being answered.
    var until: Double?
  }

  private let readSecondsMax: Double
  private let idleSeconds: Double
  private let connections = Lock<[Int: Reading]>([:])
  private let stopped = TimedSignal()
  private let looking = Lock<Task<Void, Never>?>(nil)

  init(readSecondsMax: Double, idleSeconds: Double) {
    self.readSecondsMax = readSecondsMax
    self.idleSeconds = idleSeconds
  }

  /// - Parameter connection: any number that tells it from the others.
  func opened(_ connection: Int, descriptor: Int32) {
    let until = MonotonicClock.now + readSecondsMax
    connections.withLock { $0[connection] = Reading(descriptor: descriptor, until: until) }
  }

  func requestIsRead(on connection: Int) { connections.withLock { $0[connection]?.until = nil } }

  /// The next request may follow; if nothing comes, the library's own time-out is sooner.
  func requestIsAnswered(on connection: Int) {
    let until = MonotonicClock.now + idleSeconds + readSecondsMax
    connections.withLock { $0[connection]?.until = until }
  }

  func closed(_ connection: Int) { connections.withLock { $0[connection] = nil } }

  func start() {
    let task = Task { [self] in
      while !Task.isCancelled {
        await stopped.wait(seconds: Self.lookSeconds)
        cutLate(now: MonotonicClock.now)
      }
    }
    looking.withLock { $0 = task }
  }

  func stop() {
    looking.withLock { $0?.cancel() }
    stopped.raise()
  }

  /// Under the lock, so that no descriptor is cut that was closed and given out again.
  private func cutLate(now: Double) {
    connections.withLock { connections in
      for (id, reading) in connections where reading.until.map({ $0 < now }) ?? false {
        shutdown(reading.descriptor, Int32(SHUT_RDWR))
        connections[id]?.until = nil
      }
    }
  }
}
