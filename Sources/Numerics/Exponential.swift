/// Elementary functions in plain arithmetic: the same bits on every machine, which the C library does not promise
/// (its results differ with and without fused multiply-add). Errors stay within a few units in the last place.
public enum Numerics {
  /// ln 2 in two parts, the first short enough that its product with a small whole number is exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33
  private static let sqrtHalf = 0.7071067811865476

  /// e to the power of `x`; 0 below the smallest double, infinity above the largest, NaN for NaN.
  public static func exp(_ x: Double) -> Double {
    guard !x.isNaN else { return x }
    guard x < 709.8 else { return .infinity }
    guard x > -745.2 else { return 0 }
    let whole = nearestWhole(x / 0.6931471805599453)
    let rest = (x - whole * ln2High) - whole * ln2Low
    var sum = 1.0
    for divisor in stride(from: 14.0, through: 1, by: -1) { sum = 1 + sum * rest / divisor }
    return scale(sum, byPowerOfTwo: Int(whole))
  }

  /// The nearest whole number, ties to even, for magnitudes below 2^51: adding 1.5 * 2^52 leaves no room for fractions.
  /// (The library's rounding needs the C library on some machines.)
  static func nearestWhole(_ x: Double) -> Double {
    let shift = 6_755_399_441_055_744.0
    return (x + shift) - shift
  }

  /// Multiplies by 2 to the `power` in two steps, so that neither factor leaves the range of doubles.
  private static func scale(_ x: Double, byPowerOfTwo power: Int) -> Double {
    let half = power / 2
    return x * Double(sign: .plus, exponent: half, significand: 1)
      * Double(sign: .plus, exponent: power - half, significand: 1)
  }

  /// Natural logarithm; minus infinity for 0, NaN below 0.
  public static func log(_ x: Double) -> Double {
    guard x > 0 else { return x == 0 ? -.infinity : .nan }
    guard x.isFinite else { return x }
    var mantissa = x.significand / 2
    var power = Double(x.exponent) + 1
    if mantissa < sqrtHalf {
      mantissa *= 2
      power -= 1
    }
    let s = (mantissa - 1) / (mantissa + 1)
    let square = s * s
    var sum = 0.0
    for odd in stride(from: 25.0, through: 3, by: -2) { sum = (sum + 1 / odd) * square }
    return power * ln2High + (2 * s + (2 * s * sum + power * ln2Low))
  }
}
