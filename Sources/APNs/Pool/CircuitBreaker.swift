/// Stops sending where nothing gets through, and asks with single pushes whether it does again.
///
/// Closed, it counts failures; open, it lets one probe out every 5 to 30 s; after a successful probe it lets the load
/// grow over 10 s, so that what piled up does not return as a wave. Times are monotonic seconds.
struct CircuitBreaker: Sendable {
  static let probeSecondsMin = 5.0
  static let probeSecondsMax = 30.0
  static let recoverySeconds = 10.0
  /// So many failures in a row open the circuit, and so many among the last 32 answers.
  static let failuresInRow = 5
  static let failuresOf32 = 16
  private static let recoveryStart = 8

  enum State: Equatable, Sendable {
    case closed
    case open(probeAt: Double)
    /// One push is out.
    case probing
    case recovering(since: Double)
  }

  private(set) var state = State.closed
  private var interval = probeSecondsMin
  /// One bit an answer, newest lowest; 1 is a failure.
  private var history: UInt32 = 0
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  var isOpen: Bool {
    switch state {
    case .open, .probing: true
    case .closed, .recovering: false
    }
  }

  /// When the next probe may go out; nil unless open.
  var probeAt: Double? {
    guard case .open(let probeAt) = state else { return nil }
    return probeAt
  }

  /// Pushes that may be in flight at once, of `capacity`.
  mutating func allowance(capacity: Int, now: Double) -> Int {
    switch state {
    case .closed: return capacity
    case .open(let probeAt): return now >= probeAt ? 1 : 0
    case .probing: return 0
    case .recovering(let since):
      let share = (now - since) / Self.recoverySeconds
      guard share < 1 else {
        state = .closed
        return capacity
      }
      return min(capacity, Self.recoveryStart + Int(Double(capacity) * max(0, share)))
    }
  }

  /// A push goes out. True when it is the probe.
  mutating func sending(now: Double) -> Bool {
    guard case .open(let probeAt) = state, now >= probeAt else { return false }
    state = .probing
    return true
  }

  /// An answer that shows the way is open.
  mutating func succeeded(isProbe: Bool, now: Double) {
    history <<= 1
    guard isProbe, state == .probing else { return }
    history = 0
    interval = Self.probeSecondsMin
    state = .recovering(since: now)
  }

  /// A failure of the service, not of one push. True when this opened the circuit.
  mutating func failed(isProbe: Bool, now: Double) -> Bool {
    if isProbe, state == .probing {
      openAgain(now: now)
      return false
    }
    history = history << 1 | 1
    let streak = UInt32(1) << UInt32(Self.failuresInRow) - 1
    guard history & streak == streak || history.nonzeroBitCount >= Self.failuresOf32 else { return false }
    return trip(now: now)
  }

  /// Opens at once. True when it was not open.
  mutating func trip(now: Double) -> Bool {
    guard !isOpen else {
      if state == .probing { openAgain(now: now) }
      return false
    }
    history = 0
    interval = Self.probeSecondsMin
    state = .open(probeAt: now + drawInterval())
    return true
  }

  /// The cause is mended: the next push may go out at once, as a probe.
  mutating func probeNow(now: Double) {
    guard isOpen else { return }
    interval = Self.probeSecondsMin
    state = .open(probeAt: now)
  }

  private mutating func openAgain(now: Double) {
    interval = min(interval * 2, Self.probeSecondsMax)
    state = .open(probeAt: now + drawInterval())
  }

  /// Jitter goes upwards, within the bounds, so that replicas do not probe together.
  private mutating func drawInterval() -> Double {
    min(interval * (1 + 0.2 * random.fraction()), Self.probeSecondsMax)
  }
}
