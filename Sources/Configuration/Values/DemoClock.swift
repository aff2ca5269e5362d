/// A scaled clock for demos: business time = origin + (real time - origin) x factor.
public struct DemoClock: Equatable, Sendable {
  /// Unix seconds.
  public var originSeconds: Double
  /// Above 0.
  public var factor: Double

  /// Reads `origin,factor`; nil on anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let origin = Double(parts[0]), let factor = Double(parts[1]), origin.isFinite,
      (0...1e11).contains(origin), factor.isFinite, factor > 0, factor <= 1e6
    else { return nil }
    originSeconds = origin
    self.factor = factor
  }
}
