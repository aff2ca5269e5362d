import Kafka
import Playground
import Testing

@Suite struct DeadLetterTests {
  private func record(_ topic: String, _ text: String, offset: Int64) -> KafkaRecord {
    KafkaRecord(
      topic: topic, partition: 3, offset: offset, key: [9], value: Array(text.utf8),
      headers: [KafkaHeader("trace", [1]), KafkaHeader("__dlq.errors.code", Array("old".utf8))],
      timestampMilliseconds: 1_796_030_000_000 + offset)
  }

  /// A record goes there unchanged, says why, and comes back as it was.
  @Test func listsAndReplays() async throws {
    let origin = try TestTopic("origin")
    let letters = try TestTopic("letters")
    let producer = try KafkaProducer(brokers: letters.brokers)
    try await producer.send(
      (0..<5).map { index in
        DeadLetterRecord.message(
          for: record(origin.name, "r\(index)", offset: Int64(index)), topic: letters.name, group: "g",
          code: index.isMultiple(of: 2) ? "badTime" : "notJSON", message: "why \(index)")
      } + [KafkaMessage(topic: letters.name, key: nil, value: [0])])
    await producer.close()

    let topic = DeadLetterTopic(brokers: letters.brokers, topic: letters.name, properties: KafkaProperties())
    #expect(try await topic.list(DeadLetterFilter()).count == 5)
    var filter = DeadLetterFilter()
    filter.codes = ["badTime"]
    filter.sinceMilliseconds = 1_796_030_000_001
    let found = try await topic.list(filter)
    #expect(found.map(\.message) == ["why 2", "why 4"])
    #expect(found.map(\.originOffset) == [2, 4])
    #expect(found.first?.origin == KafkaPartition(topic: origin.name, partition: 3))
    filter.limit = 1
    #expect(try await topic.list(filter).count == 1)
    filter.topics = ["other"]
    #expect(try await topic.list(filter).isEmpty)

    #expect(try await topic.replay(found, perSecond: 1) { _ in } == 2)
    let consumer = try origin.consumer()
    let back = try await consumer.collect(2)
    await consumer.close()
    #expect(Set(back.map(\.text)) == ["r2", "r4"])
    #expect(back.allSatisfy { $0.key == [9] && $0.headers == [KafkaHeader("trace", [1])] })
    #expect(Set(back.map(\.timestampMilliseconds)) == [1_796_030_000_002, 1_796_030_000_004])
  }

  @Test func aTopicThatDoesNotExistIsSaidSo() async throws {
    let cluster = try MockCluster()
    let topic = DeadLetterTopic(brokers: cluster.brokers, topic: "none", properties: KafkaProperties())
    let letters = try? await topic.list(DeadLetterFilter())
    // The mock makes unknown topics at the first question; a real broker answers with an error.
    #expect(letters?.isEmpty ?? true)
  }

  @Test func anEmptyTopicIsReadAtOnce() async throws {
    let letters = try TestTopic("empty", partitions: 2)
    let topic = DeadLetterTopic(brokers: letters.brokers, topic: letters.name, properties: KafkaProperties())
    #expect(try await topic.list(DeadLetterFilter()).isEmpty)
  }
}
