import Runtime
import Service

/// What dispatchers on other threads may know of a pool: how many pushes it takes now.
final class Credits: Sendable {
  private struct State {
    var free = 0
    /// Handed over, not yet seen by the pool's thread.
    var handed = 0
    /// Apps that may send less than the pool has free.
    var lanes: [String: Int] = [:]
  }

  private let state = Lock(State())

  func available(to bundleID: String) -> Int {
    state.withLock { max(0, min($0.free - $0.handed, $0.lanes[bundleID] ?? .max)) }
  }

  func handedOver(_ count: Int) { state.withLock { $0.handed += count } }

  func seen(_ count: Int) { state.withLock { $0.handed -= count } }

  func publish(free: Int, lanes: [String: Int]) {
    state.withLock {
      $0.free = free
      if !(lanes.isEmpty && $0.lanes.isEmpty) { $0.lanes = lanes }
    }
  }
}
