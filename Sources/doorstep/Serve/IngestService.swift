import Kafka
import Observability
import Runtime
import Service

/// Ingest with its Kafka clients: polls until drained, then commits and leaves the group.
final class IngestService: ManagedService {
  let name = "ingest"
  private let consumer: KafkaConsumer
  private let producer: KafkaProducer
  private let loop: Loop

  init(ingest: Ingest, consumer: KafkaConsumer, producer: KafkaProducer, parts: Parts) {
    self.consumer = consumer
    self.producer = producer
    let logger = parts.logger
    loop = Loop(
      name: "ingest", body: { try await ingest.run() }, failed: { logger.log(.consumerStopped, .error($0)) })
  }

  func start() async throws { try await loop.start() }

  func drain() async {
    await loop.drain()
    await consumer.close()
    await producer.close()
  }
}

/// The dispatcher over all shards: drained by finishing what is in flight.
final class DispatchService: ManagedService {
  let name = "dispatch"
  private let loop: Loop

  init(dispatcher: Dispatcher, parts: Parts) {
    let logger = parts.logger
    loop = Loop(
      name: "dispatch",
      body: { try await dispatcher.run(shards: Shards.all, owner: parts.owner) },
      stop: { await dispatcher.drain() },
      failed: { logger.log(.loopStalled, .component("dispatch"), .error($0)) })
  }

  func start() async throws { try await loop.start() }
  func drain() async { await loop.drain() }
}
