/// What is to happen when: a binary heap by time, first come first served among equals.
struct Agenda<Item> {
  private var heap: [(at: Moment, order: UInt64, item: Item)] = []
  private var added: UInt64 = 0

  var next: Moment? { heap.first?.at }
  var count: Int { heap.count }

  mutating func add(_ item: Item, at moment: Moment) {
    added += 1
    heap.append((moment, added, item))
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The first item that is due, or nil.
  mutating func take(dueAt now: Moment) -> (at: Moment, item: Item)? {
    guard let first = heap.first, first.at <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return (first.at, first.item)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, smallest) {
        smallest = child
      }
      if smallest == parent { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
  }
}
