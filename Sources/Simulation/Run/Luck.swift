import APNsSimulator

/// The seeded source of every fault, with the count of what it did. One per world; used on one executor.
final class Luck {
  private var random: SeededRandom
  var tally = FaultTally()
  /// No new faults any more: the world comes to rest and is judged.
  var isCalm = false

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// True, and counted, with this probability.
  func strikes(_ kind: FaultKind, _ probability: Double) -> Bool {
    guard !isCalm, random.happens(probability) else { return false }
    tally.count(kind)
    return true
  }

  /// Chooses without counting.
  func happens(_ probability: Double) -> Bool { random.happens(probability) }
  func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * random.unit() }
  func below(_ count: Int) -> Int { min(Int(random.unit() * Double(count)), count - 1) }
  func choice<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
