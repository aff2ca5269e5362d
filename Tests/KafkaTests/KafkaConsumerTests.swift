import Kafka
import Playground
import Runtime
import Testing

/// On a real Kafka-protocol broker over TCP.
@Suite struct KafkaConsumerTests {
  @Test func readsWhatWasProducedWithKeysHeadersAndTombstones() async throws {
    let topic = try TestTopic("roundtrip")
    let producer = try KafkaProducer(brokers: topic.brokers)
    let headers = [KafkaHeader("a", [1, 2]), KafkaHeader("empty", []), KafkaHeader("a", [3])]
    try await producer.send([
      KafkaMessage(
        topic: topic.name, key: [7], value: [1, 0, 255], headers: headers, timestampMilliseconds: 1_796_030_000_123,
        partition: 0),
      KafkaMessage(topic: topic.name, key: [7], value: nil, partition: 0),
      KafkaMessage(topic: topic.name, key: nil, value: [], partition: 0),
    ])
    await producer.close()
    let consumer = try topic.consumer()
    let records = try await consumer.collect(3)
    await consumer.close()
    #expect(records.map(\.offset) == [0, 1, 2])
    #expect(records.map(\.value) == [[1, 0, 255], nil, []])
    #expect(records.map(\.key) == [[7], [7], nil])
    #expect(records.first?.headers == headers)
    #expect(records.first?.timestampMilliseconds == 1_796_030_000_123)
  }

  /// What was handled is not handled again after a clean restart, and nothing is left over.
  @Test func aCleanRestartGoesOnExactlyWhereItStopped() async throws {
    let topic = try TestTopic("restart")
    try await topic.produce((0..<10).map(String.init))
    let first = try topic.consumer()
    #expect(try await first.collect(10).count == 10)
    await first.close()
    try await topic.produce(["10"])
    let second = try topic.consumer()
    let records = try await second.collect(1)
    #expect(records.map(\.text) == ["10"])
    let lag = await second.lag()
    #expect(Array(lag.values) == [0])
    await second.close()
  }

  /// Offsets that were never stored are not committed, however long the records have been handed out.
  @Test func recordsThatWereNotStoredComeAgain() async throws {
    let topic = try TestTopic("unstored")
    try await topic.produce((0..<6).map(String.init))
    let first = try topic.consumer()
    let records = try await first.collect(6, storing: false)
    #expect(records.count == 6)
    try await first.store(next: [KafkaPartition(topic: topic.name, partition: 0): 4])
    await first.close()
    let second = try topic.consumer()
    #expect(try await second.collect(2).map(\.text) == ["4", "5"])
    await second.close()
  }

  @Test(arguments: [(Int64(3), 3), (9, 6), (nil, 0)] as [(Int64?, Int)])
  func startsFromTheLowerOfKafkasAndTheDatasOffset(kept: Int64?, expected: Int) async throws {
    let topic = try TestTopic("aligned")
    let partition = KafkaPartition(topic: topic.name, partition: 0)
    try await topic.produce((0..<10).map(String.init))
    let first = try topic.consumer()
    _ = try await first.collect(10, storing: false)
    try await first.store(next: [partition: 6])
    await first.close()
    let observer = RecordingObserver()
    let second = try topic.consumer(observer: observer) { partitions in
      Dictionary(uniqueKeysWithValues: partitions.compactMap { partition in kept.map { (partition, $0) } })
    }
    let records = try await second.collect(10 - expected)
    #expect(records.first?.text == String(expected))
    #expect(records.count == 10 - expected)
    #expect(observer.now.assigned.first?.keys.contains(partition) == true)
    await second.close()
  }

  /// The database is away at the moment of assignment: nothing is read, nothing is lost, the next poll tries again.
  @Test func anAssignmentWaitsForTheStartOffsets() async throws {
    struct Away: Error {}
    let topic = try TestTopic("away")
    try await topic.produce(["0", "1"])
    let attempts = Lock(0)
    let consumer = try topic.consumer { partitions in
      let attempt = attempts.withLock { attempts -> Int in
        attempts += 1
        return attempts
      }
      if attempt < 3 { throw Away() }
      return Dictionary(uniqueKeysWithValues: partitions.map { ($0, 0) })
    }
    var failures = 0
    var records: [KafkaRecord] = []
    let deadline = MonotonicClock.now + 30
    while records.count < 2, MonotonicClock.now < deadline {
      do {
        records += try await consumer.poll(limit: 10, waitSeconds: 0.1).records
      } catch is Away {
        failures += 1
      }
    }
    #expect(failures == 2)
    #expect(records.map(\.text) == ["0", "1"])
    await consumer.close()
  }

  /// A store that came back without its last commits: the consumer goes back and reads them again.
  @Test func realignGoesBackToWhatTheDataKept() async throws {
    let topic = try TestTopic("realign")
    let partition = KafkaPartition(topic: topic.name, partition: 0)
    try await topic.produce((0..<8).map(String.init))
    let kept = Lock(Int64(0))
    let consumer = try topic.consumer { _ in [partition: kept.withLock { $0 }] }
    #expect(try await consumer.collect(8).count == 8)
    kept.withLock { $0 = 5 }
    try await consumer.realign()
    #expect(try await consumer.collect(3).map(\.text) == ["5", "6", "7"])
    kept.withLock { $0 = 100 }
    try await consumer.realign()
    try await topic.produce(["8"])
    #expect(try await consumer.collect(1).map(\.text) == ["8"])
    await consumer.close()
  }

  @Test func aPausedConsumerReadsNothingAndKeepsItsPartitions() async throws {
    let topic = try TestTopic("paused")
    try await topic.produce(["0"])
    let consumer = try topic.consumer()
    #expect(try await consumer.collect(1).count == 1)
    await consumer.pause()
    try await topic.produce(["1"])
    #expect(try await consumer.poll(limit: 10, waitSeconds: 1).records.isEmpty)
    #expect(await consumer.assignment.count == 1)
    await consumer.resume()
    #expect(try await consumer.collect(1).map(\.text) == ["1"])
    await consumer.close()
  }

  /// A second member takes its share and gives it back; every record is read, none goes unread, order is kept.
  @Test func aRebalanceLosesNothing() async throws {
    let topic = try TestTopic("rebalance", partitions: 4)
    for partition in 0..<4 as Range<Int32> { try await topic.produce((0..<50).map(String.init), partition: partition) }
    let first = try topic.consumer()
    let early = try await first.collect(200)
    let second = try topic.consumer()
    async let drained = first.pump { await second.assignment.count == 2 }
    let joined = try await second.pump { await second.assignment.count == 2 }
    #expect(try await drained && joined)
    for partition in 0..<4 as Range<Int32> { try await topic.produce(["50"], partition: partition) }
    async let mine = first.collect(2)
    let others = try await second.collect(2)
    let late = try await mine + others
    #expect(late.map(\.text) == Array(repeating: "50", count: 4))
    #expect(Set(late.map(\.partition)) == [0, 1, 2, 3])
    #expect(early.count == 200)
    await second.close()
    await first.close()
  }

  @Test func saysHowFarBehindAPartitionIs() async throws {
    let topic = try TestTopic("behind")
    let producer = try KafkaProducer(brokers: topic.brokers)
    try await producer.send(
      (0..<4).map { index in
        KafkaMessage(
          topic: topic.name, key: nil, value: [0], timestampMilliseconds: 1_796_030_000_000 + Int64(index) * 1_000,
          partition: 0)
      })
    await producer.close()
    let partition = KafkaPartition(topic: topic.name, partition: 0)
    let consumer = try topic.consumer()
    var batch = KafkaBatch()
    let deadline = MonotonicClock.now + 30
    while batch.records.isEmpty, MonotonicClock.now < deadline {
      batch = try await consumer.poll(limit: 2, waitSeconds: 1)
    }
    #expect(batch.behindSeconds(nowMilliseconds: 1_796_030_010_000)[partition] == 9 || batch.records.count == 1)
    _ = try await consumer.collect(4 - batch.records.count)
    await consumer.close()
    batch.ends[partition] = batch.records.last.map { $0.offset + 1 }
    #expect(batch.behindSeconds(nowMilliseconds: 1_796_030_010_000)[partition] == 0)
  }
}
