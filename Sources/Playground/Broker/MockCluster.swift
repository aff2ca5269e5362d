import CRdKafka

/// librdkafka's mock Kafka cluster in this process, reachable over TCP by anybody on this machine.
///
/// It is a stand-in with known wrong answers: it keeps about 5 MiB a partition and silently drops older records, has no
/// topic creation by clients (a topic that is written to first appears with 4 partitions), no transactions' isolation,
/// picks its ports itself, and refuses commits during an eager rebalance. The first join of a group takes about 3 s,
/// later ones the group's session time-out.
public final class MockCluster: Sendable {
  private nonisolated(unsafe) let client: OpaquePointer
  private nonisolated(unsafe) let cluster: OpaquePointer
  /// What clients are given as `bootstrap.servers`.
  public let brokers: String
  private let brokerCount: Int

  public init(brokers count: Int = 1, topics: [String: Int] = [:]) throws(PlaygroundError) {
    guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, nil, nil, 0) else {
      throw PlaygroundError("cannot start the embedded Kafka broker: librdkafka made no client")
    }
    guard let cluster = rd_kafka_mock_cluster_new(client, Int32(clamping: max(1, count))),
      let bootstrap = rd_kafka_mock_cluster_bootstraps(cluster)
    else {
      rd_kafka_destroy(client)
      throw PlaygroundError("cannot start the embedded Kafka broker: no free port on 127.0.0.1")
    }
    self.client = client
    self.cluster = cluster
    brokers = String(cString: bootstrap)
    brokerCount = max(1, count)
    for (name, partitions) in topics.sorted(by: { $0.key < $1.key }) { try makeTopic(name, partitions: partitions) }
  }

  deinit {
    rd_kafka_mock_cluster_destroy(cluster)
    rd_kafka_destroy(client)
  }

  public func makeTopic(_ name: String, partitions: Int) throws(PlaygroundError) {
    let code = rd_kafka_mock_topic_create(
      cluster, name, Int32(clamping: partitions), Int32(clamping: min(3, brokerCount)))
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
      throw PlaygroundError("cannot make the topic \(name): \(String(cString: rd_kafka_err2str(code)))")
    }
  }
}

/// Faults, for tests.
extension MockCluster {
  /// Kafka's numbers of the requests that tests let fail.
  public enum Request: Int16, Sendable {
    case produce = 0
    case fetch = 1
    case offsetCommit = 8
    case heartbeat = 12
  }

  /// Answers the next `times` requests of a kind with a Kafka error number.
  public func fail(_ request: Request, withError number: Int32, times: Int) {
    let errors = [rd_kafka_resp_err_t](repeating: rd_kafka_resp_err_t(rawValue: number), count: times)
    rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, times, errors)
  }

  /// Closes a broker's port and cuts its connections, or opens it again; records and groups are kept.
  public func set(broker: Int32, up: Bool) {
    if up { rd_kafka_mock_broker_set_up(cluster, broker) } else { rd_kafka_mock_broker_set_down(cluster, broker) }
  }
}
