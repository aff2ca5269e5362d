import Domain
import Glibc
import Testing

/// Every multiset of up to seven events, each at most twice: 3^7 states of knowledge, and every step between them.
struct LatticeTests {
  private static let seeds = (1...(getenv("TEST_EXTRA") == nil ? 3 : 60)).map(UInt64.init)
  private static let eventCount = 7
  private static let now = Instant(seconds: 1_000_000)

  @Test(arguments: seeds) func allWaysAgreeAndNothingShownGoesBack(seed: UInt64) {
    let events = Self.events(seed: seed)
    var states: [Delivery?] = Array(repeating: nil, count: Self.power(Self.eventCount))
    var shown: [[Delivery]] = Array(repeating: [], count: states.count)
    states[0] = Delivery(id: OrderID("o"))
    shown[0] = [Delivery(id: OrderID("o"))]
    for node in states.indices {
      guard let state = states[node] else { continue }
      for (index, event) in events.enumerated() where Self.count(of: index, in: node) < 2 {
        let next = node + Self.power(index)
        var applied = state
        _ = Tracker.apply(event, to: &applied, now: Self.now)
        if let other = states[next], other != applied {
          Issue.record("seed \(seed): two ways into node \(next) differ by event \(index)")
        }
        states[next] = applied
        Self.step(from: shown[node], with: event, into: &shown[next], seed: seed)
      }
    }
  }

  /// Follows every distinct thing that may have been shown at a node through one more event.
  private static func step(
    from deliveries: [Delivery], with event: OrderEvent, into next: inout [Delivery], seed: UInt64
  ) {
    for delivery in deliveries {
      var after = delivery
      _ = Tracker.apply(event, to: &after, now: now)
      after.look(now)
      if let old = delivery.snapshot {
        guard let new = after.snapshot else {
          Issue.record("seed \(seed): a snapshot vanished")
          continue
        }
        let isForward =
          new.life > old.life || (new.life == old.life && rank(new) >= rank(old) && new.progress >= old.progress)
        if !isForward {
          Issue.record("seed \(seed): \(old.stage) in life \(old.life) became \(new.stage) in life \(new.life)")
        }
        if new.sequence <= old.sequence, new != old { Issue.record("seed \(seed): one sequence, two snapshots") }
      }
      if !next.contains(where: { key($0) == key(after) }) { next.append(after) }
    }
  }

  private static func rank(_ snapshot: Snapshot) -> UInt8 { min(snapshot.stage.rawValue, Stage.delivered.rawValue) }

  private static func key(_ delivery: Delivery) -> [Int64] {
    guard let snapshot = delivery.snapshot else { return [] }
    return [
      Int64(snapshot.life), Int64(snapshot.stage.rawValue), snapshot.stageStarted.microseconds,
      delivery.latch.reopening?.stamp.sequence ?? 0,
    ]
  }

  private static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * 3 } }
  private static func count(of index: Int, in node: Int) -> Int { node / power(index) % 3 }

  /// Seven events of one order from two sequence spaces, some with one sequence and different content.
  private static func events(seed: UInt64) -> [OrderEvent] {
    var numbers = SeededNumbers(seed: seed)
    return (0..<eventCount).map { index in
      let time = now.advanced(by: Double.random(in: -1_000...100, using: &numbers))
      let space = numbers.chance(0.8) ? orders : kitchen
      let stage = Stage.allCases.randomElement(using: &numbers) ?? .placed
      let rider = RiderID(numbers.chance() ? "r-1" : "r-2")
      let happenings: [OrderHappening] = [
        .stage(stage), .stage(stage), .stage(stage), .stage(stage), .reopened(.preparing), .riderAssigned,
        .riderUnassigned, .riderAtStore, .updated, index == 0 ? .forgotten : .updated,
      ]
      let what = happenings.randomElement(using: &numbers) ?? .updated
      return .make(what, Int64.random(in: 1...6, using: &numbers), at: time, space: space) { changes in
        if what == .riderAssigned { changes.rider = RiderInfo(id: rider, name: "Name of \(rider.text)") }
        if numbers.chance() { changes.destination = place(north: Double(index)) }
        if numbers.chance() { changes.stopsBefore = index }
        if numbers.chance() { changes.store = StoreInfo(id: "s", name: numbers.chance() ? "Store \(index)" : nil) }
      }
    }
  }
}
