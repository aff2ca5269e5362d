extension Numerics {
  public static let pi = 3.141592653589793
  /// pi / 2 in three parts, the first two short enough that their products with a quadrant number are exact.
  private static let halfPi = (high: 0x1.921fb544p0, middle: 0x1.0b4611a6p-34, low: 0x1.3198a2e037073p-69)
  /// Beyond this the reduction to a quadrant would lose digits; angles of this project are far below.
  private static let angleMax = 1_000_000.0

  /// Sine of an angle in radians; NaN beyond one million radians.
  public static func sin(_ x: Double) -> Double {
    guard let (rest, quadrant) = reduced(x) else { return .nan }
    let value = quadrant.isMultiple(of: 2) ? sineSeries(rest) : cosineSeries(rest)
    return quadrant < 2 ? value : -value
  }

  /// Cosine of an angle in radians; NaN beyond one million radians.
  public static func cos(_ x: Double) -> Double {
    guard let (rest, quadrant) = reduced(x) else { return .nan }
    let value = quadrant.isMultiple(of: 2) ? cosineSeries(rest) : sineSeries(rest)
    return quadrant == 0 || quadrant == 3 ? value : -value
  }

  /// The angle less the nearest multiple of pi / 2, and that multiple modulo 4.
  private static func reduced(_ x: Double) -> (rest: Double, quadrant: Int)? {
    guard abs(x) <= angleMax else { return nil }
    let quarter = nearestWhole(x / 1.5707963267948966)
    let rest = ((x - quarter * halfPi.high) - quarter * halfPi.middle) - quarter * halfPi.low
    return (rest, Int(quarter) & 3)
  }

  private static func sineSeries(_ x: Double) -> Double {
    let square = x * x
    var sum = 0.0
    for n in stride(from: 18.0, through: 2, by: -2) { sum = -(1 + sum) * square / (n * (n + 1)) }
    return x + x * sum
  }

  private static func cosineSeries(_ x: Double) -> Double {
    let square = x * x
    var sum = 0.0
    for n in stride(from: 19.0, through: 1, by: -2) { sum = -(1 + sum) * square / (n * (n + 1)) }
    return 1 + sum
  }

  /// The angle of the point (x, y) in -pi ... pi; 0 for the origin.
  public static func atan2(_ y: Double, _ x: Double) -> Double {
    guard !x.isNaN, !y.isNaN else { return .nan }
    let (width, height) = (abs(x), abs(y))
    guard width > 0 || height > 0 else { return 0 }
    let angle = width >= height ? arcTangent(height / width) : pi / 2 - arcTangent(width / height)
    let upper = x < 0 ? pi - angle : angle
    return y < 0 ? -upper : upper
  }

  /// Of 0 ... 1, by halving the angle twice and summing the series.
  private static func arcTangent(_ x: Double) -> Double {
    guard !x.isNaN else { return pi / 4 }
    let half = x / (1 + (1 + x * x).squareRoot())
    let quarter = half / (1 + (1 + half * half).squareRoot())
    let square = quarter * quarter
    var sum = 0.0
    for odd in stride(from: 25.0, through: 3, by: -2) { sum = -(sum + 1 / odd) * square }
    return 4 * (quarter + quarter * sum)
  }
}
