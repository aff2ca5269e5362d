import Kafka
import Playground
import Runtime
import TestFixtures
import Testing

/// A topic of a test's own on the shared broker.
struct TestTopic {
  let cluster: MockCluster
  let name: String

  init(_ name: String, partitions: Int = 1, cluster: MockCluster? = nil) throws {
    self.cluster = try cluster ?? TestFixtures.broker()
    self.name = "\(name)-\(UInt32.random(in: 0 ... .max))"
    try self.cluster.makeTopic(self.name, partitions: partitions)
  }

  var brokers: String { cluster.brokers }

  func produce(_ values: [String], partition: Int32 = 0) async throws {
    let producer = try KafkaProducer(brokers: brokers)
    try await producer.send(
      values.map { KafkaMessage(topic: name, key: nil, value: Array($0.utf8), partition: partition) })
    await producer.close()
  }

  func consumer(
    group: String = "g", observer: any KafkaObserver = SilentKafkaObserver(),
    startOffsets: KafkaConsumer.StartOffsets? = nil
  ) throws -> KafkaConsumer {
    try KafkaConsumer(
      brokers: brokers, group: "\(name)-\(group)", topics: [name],
      properties: KafkaProperties([("session.timeout.ms", "6000"), ("heartbeat.interval.ms", "200")]),
      observer: observer,
      startOffsets: startOffsets)
  }
}

extension KafkaConsumer {
  /// Polls until `count` records came or the deadline passed; stores what was read when asked to.
  func collect(_ count: Int, withinSeconds seconds: Double = 30, storing: Bool = true) async throws -> [KafkaRecord] {
    let deadline = MonotonicClock.now + seconds
    var records: [KafkaRecord] = []
    while records.count < count, MonotonicClock.now < deadline {
      let batch = try await poll(limit: 1_000, waitSeconds: 0.5)
      records += batch.records
      if storing { try store(next: batch.nextOffsets) }
    }
    return records
  }

  /// Polls until the condition holds or the deadline passed; returns whether it holds.
  func pump(withinSeconds seconds: Double = 30, until condition: () async -> Bool) async throws -> Bool {
    let deadline = MonotonicClock.now + seconds
    while MonotonicClock.now < deadline {
      if await condition() { return true }
      let batch = try await poll(limit: 1_000, waitSeconds: 0.1)
      try store(next: batch.nextOffsets)
    }
    return await condition()
  }
}

extension KafkaBatch {
  var nextOffsets: [KafkaPartition: Int64] {
    var next: [KafkaPartition: Int64] = [:]
    for record in records { next[KafkaPartition(topic: record.topic, partition: record.partition)] = record.offset + 1 }
    return next
  }
}

extension KafkaRecord {
  var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

/// Remembers what a client reported.
final class RecordingObserver: KafkaObserver {
  struct Seen {
    var assigned: [[KafkaPartition: Int64]] = []
    var revoked: [[KafkaPartition]] = []
    var errors: [KafkaError] = []
    var logs = 0
  }
  private let seen = Lock(Seen())
  var now: Seen { seen.withLock { $0 } }

  func kafkaLogged(level: Int, facility: String, message: String) { seen.withLock { $0.logs += 1 } }
  func kafkaFailed(_ error: KafkaError) { seen.withLock { $0.errors.append(error) } }
  func kafkaAssigned(_ partitions: [KafkaPartition: Int64]) { seen.withLock { $0.assigned.append(partitions) } }
  func kafkaRevoked(_ partitions: [KafkaPartition], lost: Bool) { seen.withLock { $0.revoked.append(partitions) } }
}
