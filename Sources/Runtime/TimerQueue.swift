/// Identifies a scheduled timer, to cancel it.
public struct TimerID: Hashable, Sendable {
  fileprivate let number: UInt64
}

/// Actions by due time: a binary heap with cancellation by mark.
///
/// Equal times come out in the order they were added. Not thread-safe.
struct TimerQueue<Action> {
  private struct Entry {
    var time: Double
    var id: TimerID
  }

  private var heap: [Entry] = []
  private var actions: [TimerID: Action] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { actions.count }

  /// When the earliest timer is due, on the clock the caller uses.
  var nextTime: Double? {
    mutating get {
      while let first = heap.first, actions[first.id] == nil { removeFirst() }
      return heap.first?.time
    }
  }

  mutating func add(at time: Double, _ action: Action) -> TimerID {
    lastNumber += 1
    let id = TimerID(number: lastNumber)
    actions[id] = action
    heap.append(Entry(time: time, id: id))
    siftUp(from: heap.count - 1)
    return id
  }

  /// Takes the timer's action back; nil when it has run or was cancelled before.
  @discardableResult
  mutating func cancel(_ id: TimerID) -> Action? {
    let action = actions.removeValue(forKey: id)
    if heap.count > 64, heap.count > 4 * actions.count { dropCancelled() }
    return action
  }

  /// Takes the earliest action that is due at `now`.
  mutating func popDue(now: Double) -> Action? {
    guard let time = nextTime, time <= now, let first = heap.first else { return nil }
    removeFirst()
    return actions.removeValue(forKey: first.id)
  }

  private mutating func dropCancelled() {
    heap = heap.filter { actions[$0.id] != nil }.sorted(by: Self.isBefore)
  }

  private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    left.time == right.time ? left.id.number < right.id.number : left.time < right.time
  }

  private mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    siftDown()
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.isBefore(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if Self.isBefore(heap[child], heap[least]) { least = child }
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
