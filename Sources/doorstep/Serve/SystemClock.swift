import Domain
import Glibc
import Runtime
import Service

/// The machine's clocks behind the clock port. In a demo business time runs `factor` times as fast, from `origin` on.
struct SystemClock: Clock {
  let origin: Instant
  let factor: Double

  /// Real time, unscaled.
  init() { self.init(origin: Instant(microseconds: 0), factor: 1) }

  init(origin: Instant, factor: Double) {
    self.origin = origin
    self.factor = factor
  }

  func now() -> Instant {
    let wall = wall()
    return factor == 1 ? wall : origin.advanced(by: wall.since(origin) * factor)
  }

  func wall() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  func monotonic() -> Double { MonotonicClock.now }

  func instant(afterSeconds seconds: Double) -> Instant { now().advanced(by: seconds * factor) }

  func pause(seconds: Double) async { await TimedSignal().wait(seconds: seconds) }

  /// Real seconds until business time reaches `instant`; 0 when it has.
  func realSeconds(until instant: Instant) -> Double { max(instant.since(now()) / factor, 0) }
}
