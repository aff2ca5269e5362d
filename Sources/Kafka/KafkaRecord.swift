/// One partition of one topic.
public struct KafkaPartition: Hashable, Sendable {
  public var topic: String
  public var partition: Int32

  public init(topic: String, partition: Int32) {
    self.topic = topic
    self.partition = partition
  }
}

/// A header of a record; a null value reads as no bytes.
public struct KafkaHeader: Equatable, Sendable {
  public var name: String
  public var value: [UInt8]

  public init(_ name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// A record as the broker had it, copied out of librdkafka's memory.
public struct KafkaRecord: Sendable {
  public var topic: String
  public var partition: Int32
  public var offset: Int64
  public var key: [UInt8]?
  /// nil is a tombstone.
  public var value: [UInt8]?
  public var headers: [KafkaHeader]
  /// Milliseconds since 1970 as the producer or the broker stamped it; nil when the record has none.
  public var timestampMilliseconds: Int64?

  public init(
    topic: String, partition: Int32, offset: Int64, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = [],
    timestampMilliseconds: Int64? = nil
  ) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.key = key
    self.value = value
    self.headers = headers
    self.timestampMilliseconds = timestampMilliseconds
  }
}

/// What one poll brought.
public struct KafkaBatch: Sendable {
  public var records: [KafkaRecord] = []
  /// For each partition of this batch: the offset that the partition ends at, as far as its last fetch told.
  public var ends: [KafkaPartition: Int64] = [:]

  public init() {}

  /// Seconds that each partition of this batch is behind its end: the age of its last record here, 0 when that
  /// record is the partition's last.
  /// - Parameter nowMilliseconds: wall-clock time.
  public func behindSeconds(nowMilliseconds: Int64) -> [KafkaPartition: Double] {
    var behind: [KafkaPartition: Double] = [:]
    for record in records {
      let partition = KafkaPartition(topic: record.topic, partition: record.partition)
      let isLast = ends[partition].map { record.offset + 1 >= $0 } ?? true
      let age = record.timestampMilliseconds.map { Double(nowMilliseconds &- $0) / 1_000 } ?? 0
      behind[partition] = isLast ? 0 : max(0, age)
    }
    return behind
  }
}

/// A record to be produced.
public struct KafkaMessage: Sendable {
  public var topic: String
  public var key: [UInt8]?
  /// nil makes a tombstone.
  public var value: [UInt8]?
  public var headers: [KafkaHeader]
  /// nil: now.
  public var timestampMilliseconds: Int64?
  /// nil: chosen by the key, as Java clients do.
  public var partition: Int32?

  public init(
    topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = [], timestampMilliseconds: Int64? = nil,
    partition: Int32? = nil
  ) {
    self.topic = topic
    self.key = key
    self.value = value
    self.headers = headers
    self.timestampMilliseconds = timestampMilliseconds
    self.partition = partition
  }
}
