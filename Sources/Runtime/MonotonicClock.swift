import Glibc

/// The clock of deadlines, back-off and PING: never set, never scaled.
public enum MonotonicClock {
  /// Seconds since an arbitrary start (`CLOCK_MONOTONIC`).
  public static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
