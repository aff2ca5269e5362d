import Kafka
import Observability

/// Hangs metrics and logs onto the Kafka clients.
struct MeteringKafkaObserver: KafkaObserver {
  let logger: Logger
  /// Told by `/readyz?verbose`; the broker's absence is not this process's fault.
  let condition: Health.Condition

  func kafkaLogged(level: Int, facility: String, message: String) {
    // librdkafka repeats what `kafkaFailed` says; only what it holds for critical is worth a line.
    if level <= 2 { logger.log(.brokerAway, .code(facility), .detail(message)) }
  }

  func kafkaFailed(_ error: KafkaError) {
    condition.unwell(error.description)
    logger.log(.brokerAway, .error(error))
  }

  func kafkaAssigned(_ partitions: [KafkaPartition: Int64]) {
    condition.well()
    logger.log(.assigned, .count(partitions.count))
  }

  func kafkaRevoked(_ partitions: [KafkaPartition], lost: Bool) { logger.log(.revoked, .count(partitions.count)) }
}
