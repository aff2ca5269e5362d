import APNsSimulator

/// A distribution known by some of its quantiles, linear between them.
public struct Quantiles: Sendable {
  private let shares: [Double]
  private let values: [Double]

  /// `values` at `shares`, both rising; beyond the outermost shares the outermost value holds.
  init(at shares: [Double], _ values: [Double]) {
    self.shares = shares
    self.values = values
  }

  /// The value that the share `share` (0...1) of draws stays below.
  public func value(at share: Double) -> Double {
    guard let upper = shares.firstIndex(where: { $0 >= share }) else { return values[values.count - 1] }
    guard upper > 0 else { return values[0] }
    let part = (share - shares[upper - 1]) / (shares[upper] - shares[upper - 1])
    return values[upper - 1] + part * (values[upper] - values[upper - 1])
  }

  public func draw(_ random: inout SeededRandom) -> Double { value(at: random.unit()) }
}

extension SeededRandom {
  /// A standard normal draw: the sum of twelve uniform ones less six.
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// Less than `count`, which is at least 1.
  mutating func index(below count: Int) -> Int { Int(next() % UInt64(max(1, count))) }
}
