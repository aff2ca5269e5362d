import Domain

/// One Kafka record as it came.
public struct Record: Sendable {
  public var topic: String
  public var partition: Int32
  public var offset: Int64
  public var key: [UInt8]?
  /// nil is a tombstone.
  public var value: [UInt8]?
  public var headers: [(name: String, value: [UInt8])]
  /// The record's timestamp, in unscaled real time as the broker has it.
  public var timestamp: Instant?

  public init(
    topic: String, partition: Int32, offset: Int64, key: [UInt8]?, value: [UInt8]?,
    headers: [(name: String, value: [UInt8])] = [], timestamp: Instant? = nil
  ) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.key = key
    self.value = value
    self.headers = headers
    self.timestamp = timestamp
  }
}

public struct TopicPartition: Hashable, Sendable {
  public var topic: String
  public var partition: Int32

  public init(topic: String, partition: Int32) {
    self.topic = topic
    self.partition = partition
  }
}

/// What one poll brought.
public struct RecordBatch: Sendable {
  public var records: [Record]
  /// Seconds that each partition of this batch is behind its end, as far as known (rule 1.12): 0 when it is caught up.
  public var behindSeconds: [TopicPartition: Double]

  public init(records: [Record], behindSeconds: [TopicPartition: Double] = [:]) {
    self.records = records
    self.behindSeconds = behindSeconds
  }
}

/// The platform's topics. One instance is one member of the consumer group.
public protocol RecordSource: Sendable {
  /// At most `limit` records; an empty batch after `waitSeconds` of real time without any.
  func poll(limit: Int, waitSeconds: Double) async throws -> RecordBatch
  /// The offsets to read next, after the data of all records before them is committed.
  func store(next offsets: [TopicPartition: Int64]) async throws
}

/// A refused record with the reason, on its way to the dead-letter topic (unchanged, with `__dlq.errors.*` headers).
public struct DeadLetter: Sendable {
  public var record: Record
  public var code: String
  public var message: String

  public init(record: Record, code: String, message: String) {
    self.record = record
    self.code = code
    self.message = message
  }
}

public protocol DeadLetterSink: Sendable {
  /// Returns when the broker has acknowledged all of them; throws when it will not (then nothing may be committed).
  func publish(_ letters: [DeadLetter]) async throws
}
