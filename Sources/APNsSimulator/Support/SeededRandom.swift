/// A small seeded generator (SplitMix64): the same seed gives the same phones and the same luck.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Uniform in 0..<1.
  public mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Uniform between the two ends.
  public mutating func span(_ lowest: Span, _ highest: Span) -> Span {
    guard highest > lowest else { return lowest }
    return Span(micros: lowest.micros + Int64(unit() * Double(highest.micros - lowest.micros)))
  }

  public mutating func happens(_ probability: Double) -> Bool { probability > 0 && unit() < probability }

  /// Lower-case hexadecimal of so many bytes.
  public mutating func hexadecimal(bytes: Int) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes * 2)
    for _ in 0..<bytes {
      let byte = Int(next() & 0xFF)
      text.append(digits[byte >> 4])
      text.append(digits[byte & 15])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A canonical lower-case UUID of version 4.
  public mutating func uuid() -> String {
    let text = Array(hexadecimal(bytes: 16).utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
    return "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-a\(part(17..<20))-\(part(20..<32))"
  }
}
