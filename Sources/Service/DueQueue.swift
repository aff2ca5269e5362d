import Domain

/// Keys with a time each, earliest first. Setting a key again replaces its time; all operations are O(log n).
struct DueQueue<Key: Hashable & Sendable>: Sendable {
  private struct Entry: Sendable {
    var time: Instant
    var key: Key
  }

  /// A binary heap that may hold outdated entries; `times` says which are meant.
  private var heap: [Entry] = []
  private var times: [Key: Instant] = [:]

  var count: Int { times.count }

  /// The earliest time, also of an entry that has been replaced since: a wait may end early, never late.
  var next: Instant? { heap.first?.time }

  func time(of key: Key) -> Instant? { times[key] }

  mutating func set(_ key: Key, at time: Instant) {
    guard times[key] != time else { return }
    times[key] = time
    heap.append(Entry(time: time, key: key))
    siftUp(heap.count - 1)
    if heap.count > 2 * times.count + 1_024 { dropOutdated() }
  }

  /// Keeps the heap in proportion when keys are set again and again before they fall due.
  private mutating func dropOutdated() {
    heap = times.map { Entry(time: $1, key: $0) }.sorted { $0.time < $1.time }
  }

  mutating func remove(_ key: Key) { times[key] = nil }

  /// Keys due at `now`, earliest first, at most `limit`; they leave the queue.
  mutating func popDue(at now: Instant, limit: Int) -> [Key] {
    var due: [Key] = []
    while due.count < limit, let top = heap.first, top.time <= now {
      removeTop()
      guard times[top.key] == top.time else { continue }
      times[top.key] = nil
      due.append(top.key)
    }
    return due
  }

  private mutating func removeTop() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown()
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].time < heap[parent].time else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].time < heap[least].time {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
