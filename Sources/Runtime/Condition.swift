import CSystem
import Glibc

/// A mutex and a condition on the monotonic clock, for the threads of this room.
final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
  func signal() { pthread_cond_signal(condition) }

  /// Call with the lock held.
  func wait() { pthread_cond_wait(condition, mutex) }

  /// Call with the lock held; returns at the latest at `deadline` on the monotonic clock.
  func wait(until deadline: Double) {
    var time = timespec()
    let bounded = min(max(deadline, 0), 1e15)
    time.tv_sec = Int(bounded)
    time.tv_nsec = Int((bounded - Double(time.tv_sec)) * 1e9)
    pthread_cond_timedwait(condition, mutex, &time)
  }
}
