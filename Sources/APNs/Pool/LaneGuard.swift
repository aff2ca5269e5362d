import Domain

/// Watches one app in one environment: a sudden mass of refused tokens is a wrong configuration, not dead tokens.
///
/// A token that APNs calls bad is given up only where the lane is proven: something was accepted lately, or the same
/// token was called bad before. So a whole registry survives a gateway of the wrong environment.
struct LaneGuard: Sendable {
  static let windowSeconds = 300.0
  /// At least so many answers in the window, of which such a share may be bad.
  static let answersMin = 100
  static let badShareMax = 0.2
  /// So many bad ones suffice when nothing at all was accepted.
  static let badWithoutAcceptedMax = 10
  static let suspectsMax = 1000
  private static let slices = 5

  enum Verdict: Equatable, Sendable {
    case dead
    /// First time, on a lane where nothing was accepted yet: believed the second time.
    case unproven
    /// Too many: keep the tokens, sound the alarm.
    case massFailure
  }

  private struct Slice: Sendable {
    var number = -1
    var answers = 0
    var accepted = 0
    var bad = 0
  }

  private var window = [Slice](repeating: Slice(), count: slices)
  private var suspects: Set<PushToken> = []
  var circuit: CircuitBreaker

  init(seed: UInt64) { circuit = CircuitBreaker(seed: seed) }

  var suspectCount: Int { suspects.count }

  mutating func answered(accepted: Bool, now: Double) {
    count(now: now) {
      $0.answers += 1
      $0.accepted += accepted ? 1 : 0
    }
  }

  /// The reaction to a token called bad. Opens the lane's circuit on mass failure.
  mutating func badToken(_ token: PushToken, isProbe: Bool, now: Double) -> (Verdict, opened: Bool) {
    count(now: now) {
      $0.answers += 1
      $0.bad += 1
    }
    if circuit.isOpen {
      if isProbe { _ = circuit.failed(isProbe: true, now: now) }
      return (.massFailure, false)
    }
    let sum = total(now: now)
    let isMass =
      sum.accepted == 0
      ? sum.bad >= Self.badWithoutAcceptedMax
      : sum.answers >= Self.answersMin && Double(sum.bad) >= Self.badShareMax * Double(sum.answers)
    if isMass { return (.massFailure, circuit.trip(now: now)) }
    if sum.accepted > 0 || suspects.remove(token) != nil { return (.dead, false) }
    if suspects.count < Self.suspectsMax { suspects.insert(token) }
    return (.unproven, false)
  }

  /// The way is open again: what was counted under the fault does not count any more.
  mutating func recovered() {
    window = [Slice](repeating: Slice(), count: Self.slices)
    suspects = []
  }

  private mutating func count(now: Double, _ change: (inout Slice) -> Void) {
    let number = Self.sliceNumber(now)
    let index = number % Self.slices
    if window[index].number != number { window[index] = Slice(number: number) }
    change(&window[index])
  }

  private func total(now: Double) -> Slice {
    let oldest = Self.sliceNumber(now) - Self.slices
    return window.reduce(into: Slice()) { sum, slice in
      guard slice.number > oldest else { return }
      sum.answers += slice.answers
      sum.accepted += slice.accepted
      sum.bad += slice.bad
    }
  }

  private static func sliceNumber(_ now: Double) -> Int {
    Int(max(0, min(now, 1e15)) * Double(slices) / windowSeconds)
  }
}
