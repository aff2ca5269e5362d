import Codecs
import Domain

/// One batch, understood: events grouped by what they touch, in record order.
struct IngestWork: Sendable {
  struct Entry: Sendable {
    var record: Record
    var event: DeliveryEvent
    /// The record's partition was near its end when it was polled (rule 1.12).
    var isCaughtUp: Bool

    func isOf(sameRecordAs other: Entry) -> Bool {
      record.offset == other.record.offset && record.partition == other.record.partition
        && record.topic == other.record.topic
    }
  }

  /// Records that became events.
  var records: [Entry] = []
  /// Indices into `records`.
  var orders: [OrderID: [Int]] = [:]
  var riders: [RiderID: [Int]] = [:]
  /// Riders whose rows are needed: those with events, and those that an event of this batch assigns.
  var riderIDs: Set<RiderID> = []
  var refused: [DeadLetter] = []
  var nextOffsets: [TopicPartition: Int64] = [:]

  init() {}

  /// No events: only a look at these orders.
  init(refresh orders: [OrderID]) {
    for order in orders { self.orders[order] = [] }
  }

  mutating func add(_ entry: Entry) {
    let index = records.count
    records.append(entry)
    switch entry.event {
    case .order(let event):
      orders[event.order, default: []].append(index)
      if let rider = event.changes.rider { riderIDs.insert(rider.id) }
    case .rider(let event):
      riders[event.rider, default: []].append(index)
      riderIDs.insert(event.rider)
    }
  }

  mutating func advance(past record: Record) {
    let place = TopicPartition(topic: record.topic, partition: record.partition)
    nextOffsets[place] = max(nextOffsets[place] ?? 0, record.offset + 1)
  }

  /// The same work as two batches, in order; offsets of the first half stop where its records stop.
  /// nil when all of it came from one record (or from none).
  func halves() -> [IngestWork]? {
    // A record that made several events is not torn: its offset stands for all of them.
    let starts = records.indices.filter { $0 == 0 || !records[$0].isOf(sameRecordAs: records[$0 - 1]) }
    guard starts.count > 1 else { return nil }
    let middle = starts[starts.count / 2]
    var first = IngestWork()
    for entry in records[..<middle] {
      first.add(entry)
      first.advance(past: entry.record)
    }
    var second = IngestWork()
    for entry in records[middle...] { second.add(entry) }
    second.nextOffsets = nextOffsets
    return [first, second]
  }
}

extension Ingest {
  /// Every record gives an event, a skip or a refusal; none stops the others.
  func decode(_ batch: RecordBatch) -> IngestWork {
    var work = IngestWork()
    let now = clock.now()
    for record in batch.records {
      work.advance(past: record)
      let role: TopicRole = settings.riderTopics.contains(record.topic) ? .riders : .orders
      let decoded = decoder.decode(
        topicRole: role, topic: record.topic, key: record.key, value: record.value, headers: record.headers, now: now)
      switch decoded {
      case .event(let event):
        work.add(IngestWork.Entry(record: record, event: event, isCaughtUp: isCaughtUp(record, in: batch)))
      case .several(let events):
        let isCaughtUp = isCaughtUp(record, in: batch)
        for event in events { work.add(IngestWork.Entry(record: record, event: event, isCaughtUp: isCaughtUp)) }
      case .skipped:
        observer.event(topic: record.topic, type: "other", outcome: "skipped")
      case .refused(let refusal):
        observer.event(topic: record.topic, type: "other", outcome: "refused")
        observer.deadLetter(code: refusal.code, message: refusal.message, record: record)
        work.refused.append(DeadLetter(record: record, code: refusal.code, message: refusal.message))
      }
    }
    return work
  }

  private func isCaughtUp(_ record: Record, in batch: RecordBatch) -> Bool {
    let behind = batch.behindSeconds[TopicPartition(topic: record.topic, partition: record.partition)] ?? 0
    return behind < settings.consumerBehindSecondsMax
  }
}
