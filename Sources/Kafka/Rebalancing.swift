import CRdKafka

/// Takes librdkafka's rebalance calls. They come inside a poll or `close`, on the consumer's own thread.
///
/// An assignment is only noted here: looking up where to start may wait for the database. Partitions that are taken
/// away are committed and given up at once.
final class Rebalancing: ClientCallbacks {
  /// Partitions that wait to be taken over.
  var announced: [KafkaPartition]?

  func registerRebalances(in configuration: borrowing ClientConfiguration) {
    configuration.withHandle { handle in
      rd_kafka_conf_set_rebalance_cb(handle) { client, code, list, opaque in
        guard let client, let opaque else { return }
        let rebalancing = Unmanaged<Rebalancing>.fromOpaque(opaque).takeUnretainedValue()
        let partitions = PartitionList.entries(of: list).map(\.partition)
        if code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
          rebalancing.announced = partitions
        } else {
          rebalancing.giveUp(partitions, client, list)
        }
      }
    }
  }

  private func giveUp(
    _ partitions: [KafkaPartition], _ client: OpaquePointer,
    _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
  ) {
    announced = nil
    let lost = rd_kafka_assignment_lost(client) != 0
    if !lost { commit(client) }
    if Self.isCooperative(client) {
      report(KafkaError(consuming: rd_kafka_incremental_unassign(client, list), doing: "give partitions up"))
    } else {
      rd_kafka_assign(client, nil)
    }
    observer.kafkaRevoked(partitions, lost: lost)
  }

  private func commit(_ client: OpaquePointer) {
    let code = rd_kafka_commit(client, nil, 0)
    guard code != RD_KAFKA_RESP_ERR_NO_ERROR, code != RD_KAFKA_RESP_ERR__NO_OFFSET else { return }
    report(KafkaError(code, doing: "commit before partitions are handed over"))
  }

  private func report(_ error: KafkaError?) {
    if let error { observer.kafkaFailed(error) }
  }

  /// Takes the partitions over from the given offsets.
  func assign(_ offsets: [KafkaPartition: Int64], _ client: OpaquePointer) -> KafkaError? {
    let list = PartitionList(offsets)
    if Self.isCooperative(client) {
      return KafkaError(consuming: rd_kafka_incremental_assign(client, list.handle), doing: "take partitions over")
    }
    let code = rd_kafka_assign(client, list.handle)
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code, doing: "take partitions over")
  }

  private static func isCooperative(_ client: OpaquePointer) -> Bool {
    rd_kafka_rebalance_protocol(client).map { String(cString: $0) == "COOPERATIVE" } ?? false
  }
}
