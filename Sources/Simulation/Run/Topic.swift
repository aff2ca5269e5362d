import Domain
import Service

/// One partition of the platform's topics: keeps everything, and is read from an offset, as often as need be.
struct Topic {
  let place: TopicPartition
  private var records: [Record] = []
  /// Next offset to read.
  private(set) var position: Int64 = 0

  init(_ name: String) { place = TopicPartition(topic: name, partition: 0) }

  var isRead: Bool { position >= Int64(records.count) }

  mutating func append(_ value: [UInt8], at now: Instant) {
    records.append(
      Record(
        topic: place.topic, partition: place.partition, offset: Int64(records.count), key: nil, value: value,
        timestamp: now))
  }

  mutating func read() -> [Record] {
    defer { position = Int64(records.count) }
    return Array(records[Int(position)...])
  }

  mutating func seek(_ offset: Int64) { position = min(max(offset, 0), Int64(records.count)) }
}
