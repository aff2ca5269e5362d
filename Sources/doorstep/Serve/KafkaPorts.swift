import Domain
import Kafka
import Service

/// The platform's topics as the ingest port wants them.
struct KafkaRecordSource: RecordSource {
  let consumer: KafkaConsumer
  let clock: SystemClock

  func poll(limit: Int, waitSeconds: Double) async throws -> RecordBatch {
    let batch = try await consumer.poll(limit: limit, waitSeconds: waitSeconds)
    let behind = batch.behindSeconds(nowMilliseconds: clock.wall().milliseconds)
    return RecordBatch(
      records: batch.records.map(Record.init),
      behindSeconds: Dictionary(uniqueKeysWithValues: behind.map { (TopicPartition($0), $1) }))
  }

  func store(next offsets: [TopicPartition: Int64]) async throws {
    try await consumer.store(
      next: Dictionary(
        uniqueKeysWithValues: offsets.map { (KafkaPartition(topic: $0.topic, partition: $0.partition), $1) }))
  }
}

/// The dead-letter topic: records unchanged, with the reason in headers (docs/events.md).
struct KafkaDeadLetters: DeadLetterSink {
  let producer: KafkaProducer
  let topic: String
  let group: String

  func publish(_ letters: [DeadLetter]) async throws {
    do {
      try await producer.send(letters.map(message))
    } catch {
      throw StoreUnavailable("the dead-letter topic \(topic) did not take the records: \(error)")
    }
  }

  private func message(_ letter: DeadLetter) -> KafkaMessage {
    DeadLetterRecord.message(
      for: KafkaRecord(letter.record), topic: topic, group: group, code: letter.code, message: letter.message)
  }
}

extension TopicPartition {
  init(_ partition: KafkaPartition) { self.init(topic: partition.topic, partition: partition.partition) }
}

extension Record {
  init(_ record: KafkaRecord) {
    self.init(
      topic: record.topic, partition: record.partition, offset: record.offset, key: record.key, value: record.value,
      headers: record.headers.map { ($0.name, $0.value) },
      timestamp: record.timestampMilliseconds.map(Instant.init(milliseconds:)))
  }
}

extension KafkaRecord {
  init(_ record: Record) {
    self.init(
      topic: record.topic, partition: record.partition, offset: record.offset, key: record.key, value: record.value,
      headers: record.headers.map { KafkaHeader($0.name, $0.value) },
      timestampMilliseconds: record.timestamp?.milliseconds)
  }
}
