import Domain
import Service

/// A topic in memory: hands out what was put in, and remembers which offsets were stored.
public final class MemoryRecords: RecordSource, @unchecked Sendable {
  // Unchecked: used from one executor only.
  private var waiting: [Record] = []
  private var ends: [TopicPartition: Int64] = [:]
  public private(set) var stored: [TopicPartition: Int64] = [:]

  public init() {}

  /// A record with the next offset of its partition.
  public func record(topic: String, partition: Int32 = 0, value: [UInt8]?, at timestamp: Instant) -> Record {
    let place = TopicPartition(topic: topic, partition: partition)
    defer { ends[place, default: 0] += 1 }
    return Record(
      topic: topic, partition: partition, offset: ends[place] ?? 0, key: nil, value: value, timestamp: timestamp)
  }

  public func put(_ records: [Record]) { waiting += records }

  public func poll(limit: Int, waitSeconds: Double) async throws -> RecordBatch {
    let taken = Array(waiting.prefix(limit))
    waiting.removeFirst(taken.count)
    return RecordBatch(records: taken)
  }

  public func store(next offsets: [TopicPartition: Int64]) async throws {
    stored.merge(offsets) { max($0, $1) }
  }
}

/// The dead-letter topic in memory.
public final class MemoryDeadLetters: DeadLetterSink, @unchecked Sendable {
  // Unchecked: used from one executor only.
  public private(set) var letters: [DeadLetter] = []

  public init() {}

  public func publish(_ letters: [DeadLetter]) async throws { self.letters += letters }
}
