import Domain
import Service

/// Time by hand: for tests and the simulation, where everything happens on one executor.
public final class ManualClock: Clock, @unchecked Sendable {
  // Unchecked: written only between the steps of a single-threaded simulation, or before a test's own reads.
  private var instant: Instant
  private var elapsed = 0.0

  public init(_ start: Instant = Instant(seconds: 1_800_000_000)) { instant = start }

  public func advance(by seconds: Double) {
    instant = instant.advanced(by: seconds)
    elapsed += seconds
  }

  public func now() -> Instant { instant }
  public func wall() -> Instant { instant }
  public func monotonic() -> Double { elapsed }
  public func instant(afterSeconds seconds: Double) -> Instant { instant.advanced(by: seconds) }
  public func pause(seconds: Double) async { advance(by: seconds) }
}
