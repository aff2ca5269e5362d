import Testing

@testable import APNs

@Suite struct CircuitBreakerTests {
  private func opened(seed: UInt64 = 1, at now: Double = 100) -> CircuitBreaker {
    var circuit = CircuitBreaker(seed: seed)
    for _ in 0..<CircuitBreaker.failuresInRow { _ = circuit.failed(isProbe: false, now: now) }
    return circuit
  }

  @Test func opensAfterFailuresInARow() {
    var circuit = CircuitBreaker(seed: 1)
    for _ in 1..<CircuitBreaker.failuresInRow { #expect(circuit.failed(isProbe: false, now: 0) == false) }
    #expect(!circuit.isOpen)
    #expect(circuit.failed(isProbe: false, now: 0) == true)
    #expect(circuit.isOpen)
    #expect(circuit.allowance(capacity: 500, now: 0) == 0)
  }

  @Test func aFewFailuresAmongSuccessesDoNot() {
    var circuit = CircuitBreaker(seed: 1)
    for round in 0..<1000 {
      if round.isMultiple(of: 4) {
        #expect(circuit.failed(isProbe: false, now: 0) == false)
      } else {
        circuit.succeeded(isProbe: false, now: 0)
      }
    }
    #expect(circuit.allowance(capacity: 500, now: 0) == 500)
  }

  @Test func halfFailuresOpenToo() {
    var circuit = CircuitBreaker(seed: 1)
    var opened = false
    for round in 0..<64 where !opened {
      if round.isMultiple(of: 2) {
        circuit.succeeded(isProbe: false, now: 0)
      } else {
        opened = circuit.failed(isProbe: false, now: 0)
      }
    }
    #expect(opened)
  }

  @Test(arguments: 1...50)
  func probesComeEvery5To30Seconds(seed: UInt64) throws {
    var circuit = opened(seed: seed)
    var now = 100.0
    for _ in 0..<12 {
      let probeAt = try #require(circuit.probeAt)
      #expect((5...30.001).contains(probeAt - now), "seed \(seed)")
      #expect(circuit.allowance(capacity: 500, now: probeAt - 0.001) == 0)
      now = probeAt
      #expect(circuit.allowance(capacity: 500, now: now) == 1)
      #expect(circuit.sending(now: now) == true)
      #expect(circuit.allowance(capacity: 500, now: now) == 0, "one probe at a time")
      _ = circuit.failed(isProbe: true, now: now)
    }
  }

  @Test func answersFromBeforeChangeNothingWhileItIsOpen() {
    var circuit = opened()
    circuit.succeeded(isProbe: false, now: 101)
    #expect(circuit.isOpen)
    _ = circuit.failed(isProbe: false, now: 101)
    #expect(circuit.allowance(capacity: 500, now: 104) == 0)
  }

  @Test func theLoadGrowsAfterASuccessfulProbe() throws {
    var circuit = opened()
    let now = try #require(circuit.probeAt)
    #expect(circuit.sending(now: now) == true)
    circuit.succeeded(isProbe: true, now: now)
    let allowances = stride(from: 0.0, through: 10, by: 1).map { circuit.allowance(capacity: 1000, now: now + $0) }
    #expect(allowances.first == 8)
    #expect(allowances.last == 1000)
    #expect(zip(allowances, allowances.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 108 })
    #expect(circuit.state == .closed)
  }

  @Test func aMendedCauseIsProbedAtOnce() {
    var circuit = opened()
    circuit.probeNow(now: 100)
    #expect(circuit.allowance(capacity: 9, now: 100) == 1)
    var closed = CircuitBreaker(seed: 1)
    closed.probeNow(now: 0)
    #expect(closed.state == .closed)
  }
}
