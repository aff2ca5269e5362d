import Domain
import Testing

@testable import Service

/// The timer queue against a plain dictionary, over random operations.
struct DueQueueTests {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func answersLikeADictionary(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var queue = DueQueue<Int>()
    var model: [Int: Int64] = [:]
    for step in 0..<5_000 {
      let key = Int(random.next() % 50)
      let time = Int64(random.next() % 1_000)
      switch random.next() % 10 {
      case 0..<6:
        queue.set(key, at: Instant(microseconds: time))
        model[key] = time
      case 6..<8:
        queue.remove(key)
        model[key] = nil
      default:
        let due = queue.popDue(at: Instant(microseconds: time), limit: 5)
        let expected = model.filter { $0.value <= time }.sorted { $0.value < $1.value }
        #expect(due.count == min(expected.count, 5), "seed \(seed) step \(step)")
        #expect(due.map { model[$0] ?? -1 } == expected.prefix(5).map(\.value), "seed \(seed) step \(step)")
        for key in due { model[key] = nil }
      }
      #expect(queue.count == model.count, "seed \(seed) step \(step)")
    }
  }

  @Test func aWaitMayEndEarlyButNeverLate() {
    var queue = DueQueue<Int>()
    queue.set(1, at: Instant(microseconds: 10))
    queue.set(1, at: Instant(microseconds: 20))
    #expect(queue.next.map { $0 <= Instant(microseconds: 20) } == true)
    #expect(queue.popDue(at: Instant(microseconds: 15), limit: 9) == [])
    #expect(queue.popDue(at: Instant(microseconds: 20), limit: 9) == [1])
  }
}

/// A small seeded generator, so that a failing seed reproduces.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
