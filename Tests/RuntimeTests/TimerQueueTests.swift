import Testing

@testable import Runtime

@Suite struct TimerQueueTests {
  @Test(arguments: 0..<20) func popsInOrderOfTimeWhateverTheOrderOfAdding(seed: UInt64) {
    var random = SplitMix(state: seed)
    var queue = TimerQueue<(time: Double, number: Int)>()
    var expected: [(time: Double, number: Int)] = []
    for number in 0..<500 {
      let time = Double(random.next() % 50)
      let id = queue.add(at: time, (time, number))
      if random.next() % 3 == 0 {
        #expect(queue.cancel(id)?.number == number)
        #expect(queue.cancel(id) == nil)
      } else {
        expected.append((time, number))
      }
    }
    expected.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    #expect(queue.popDue(now: -1) == nil)
    for entry in expected {
      #expect(queue.nextTime == entry.time)
      #expect(queue.popDue(now: 50)?.number == entry.number, "seed \(seed)")
    }
    #expect(queue.nextTime == nil)
    #expect(queue.count == 0)
  }

  @Test func cancelledTimersDoNotPileUp() {
    var queue = TimerQueue<Int>()
    for number in 0..<100_000 { queue.cancel(queue.add(at: Double(number), number)) }
    #expect(queue.nextTime == nil)
  }
}

struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
