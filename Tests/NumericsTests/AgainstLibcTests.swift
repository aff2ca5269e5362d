import Glibc
import Numerics
import Testing

/// The C library is right to within one unit in the last place; ours must stay within a few of it.
struct AgainstLibcTests {
  private func unitsApart(_ ours: Double, _ theirs: Double) -> Double {
    if ours == theirs || (ours.isNaN && theirs.isNaN) { return 0 }
    return abs(ours - theirs) / theirs.ulp
  }

  private func samples(from low: Double, to high: Double, count: Int = 20_000) -> [Double] {
    (0...count).map { low + (high - low) * Double($0) / Double(count) }
  }

  @Test func exponential() {
    for x in samples(from: -700, to: 700) + samples(from: -1, to: 1) {
      #expect(unitsApart(Numerics.exp(x), Glibc.exp(x)) <= 4, "exp(\(x))")
    }
  }

  @Test func exponentialAtTheEdges() {
    #expect(Numerics.exp(0) == 1)
    #expect(Numerics.exp(.infinity) == .infinity)
    #expect(Numerics.exp(-.infinity) == 0)
    #expect(Numerics.exp(1_000) == .infinity)
    #expect(Numerics.exp(-1_000) == 0)
    #expect(Numerics.exp(709.78) == Numerics.exp(709.78) && Numerics.exp(709.78).isFinite)
    #expect(Numerics.exp(-745) > 0)
    #expect(Numerics.exp(.nan).isNaN)
  }

  @Test func logarithm() {
    for exponent in -300...300 {
      for mantissa in samples(from: 1, to: 10, count: 40) {
        let x = mantissa * Glibc.pow(10, Double(exponent))
        #expect(unitsApart(Numerics.log(x), Glibc.log(x)) <= 4, "log(\(x))")
      }
    }
    for x in samples(from: 0.99, to: 1.01) { #expect(abs(Numerics.log(x) - Glibc.log(x)) <= 1e-17, "log(\(x))") }
  }

  @Test func logarithmAtTheEdges() {
    #expect(Numerics.log(1) == 0)
    #expect(Numerics.log(0) == -.infinity)
    #expect(Numerics.log(-1).isNaN)
    #expect(Numerics.log(.infinity) == .infinity)
    #expect(unitsApart(Numerics.log(.leastNonzeroMagnitude), Glibc.log(.leastNonzeroMagnitude)) <= 4)
  }

  @Test func sineAndCosine() {
    for x in samples(from: -7, to: 7) + samples(from: -5_000, to: 5_000) {
      #expect(abs(Numerics.sin(x) - Glibc.sin(x)) <= 4e-16, "sin(\(x))")
      #expect(abs(Numerics.cos(x) - Glibc.cos(x)) <= 4e-16, "cos(\(x))")
    }
    #expect(Numerics.sin(.infinity).isNaN)
    #expect(Numerics.cos(.nan).isNaN)
  }

  @Test func angleOfAPoint() {
    for x in samples(from: -3, to: 3, count: 150) {
      for y in samples(from: -3, to: 3, count: 150) {
        #expect(abs(Numerics.atan2(y, x) - Glibc.atan2(y, x)) <= 9e-16, "atan2(\(y), \(x))")
      }
    }
    #expect(Numerics.atan2(0, 0) == 0)
    #expect(Numerics.atan2(0, -1) == Numerics.pi)
    #expect(Numerics.atan2(.nan, 1).isNaN)
  }
}
