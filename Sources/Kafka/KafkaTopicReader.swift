import CRdKafka
import Runtime

/// Reads a topic from its beginning to where it ended at the start of the reading, without any consumer group.
public actor KafkaTopicReader {
  static let answerTimeoutMilliseconds: Int32 = 10_000
  /// Without any record for so long the broker counts as gone.
  static let silenceSecondsMax = 15.0

  private let executor: ThreadExecutor
  private let client: OpaquePointer
  private let queue: OpaquePointer
  private let callbacks: ClientCallbacks
  private let topic: String
  private var reader = MessageReader()
  /// For each partition that is not read to its end: the offset to read next, and its end.
  private var open: [Int32: (next: Int64, end: Int64)] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public init(
    brokers: String, topic: String, properties: KafkaProperties = KafkaProperties(),
    observer: any KafkaObserver = SilentKafkaObserver()
  ) throws(KafkaError) {
    callbacks = ClientCallbacks(observer: observer)
    let configuration = ClientConfiguration()
    try configuration.set([("fetch.max.bytes", String(KafkaConsumer.fetchBytesMax))])
    try configuration.set(properties)
    try configuration.set([
      ("bootstrap.servers", brokers), ("group.id", "doorstep-reader"), ("enable.auto.commit", "false"),
      ("enable.auto.offset.store", "false"), ("queued.max.messages.kbytes", String(KafkaConsumer.queueKilobytesMax)),
    ])
    callbacks.register(in: configuration)
    client = try configuration.makeClient(RD_KAFKA_CONSUMER)
    rd_kafka_poll_set_consumer(client)
    guard let queue = rd_kafka_queue_get_consumer(client) else {
      throw KafkaError(.fatal, "cannot get the reader's queue")
    }
    self.queue = queue
    self.topic = topic
    executor = ThreadExecutor(name: "kafka-reader")
  }

  /// Hands every record to `body`, in order within each partition, and closes the reader.
  public func read(_ body: @Sendable (KafkaRecord) async throws -> Void) async throws {
    defer { close() }
    try begin()
    var lastRecordAt = MonotonicClock.now
    while !open.isEmpty {
      try Task.checkCancellation()
      let batch = try take()
      if !batch.records.isEmpty { lastRecordAt = MonotonicClock.now }
      guard MonotonicClock.now - lastRecordAt < Self.silenceSecondsMax else {
        throw KafkaError(.transient, "read \(topic): no record for \(Int(Self.silenceSecondsMax)) s before its end")
      }
      for record in batch.records where note(record) { try await body(record) }
    }
  }

  private func begin() throws(KafkaError) {
    var ends: [KafkaPartition: Int64] = [:]
    let partitions = try partitions()
    for partition in partitions {
      var (low, high): (Int64, Int64) = (0, 0)
      let code = rd_kafka_query_watermark_offsets(client, topic, partition, &low, &high, Self.answerTimeoutMilliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code, doing: "ask for the end of \(topic)") }
      guard low < high else { continue }
      open[partition] = (low, high)
      ends[KafkaPartition(topic: topic, partition: partition)] = low
    }
    let list = PartitionList(ends)
    let code = rd_kafka_assign(client, list.handle)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code, doing: "read \(topic)") }
  }

  private func partitions() throws(KafkaError) -> [Int32] {
    let handle = rd_kafka_topic_new(client, topic, nil)
    defer { if let handle { rd_kafka_topic_destroy(handle) } }
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = rd_kafka_metadata(client, 0, handle, &metadata, Self.answerTimeoutMilliseconds)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
      throw KafkaError(code, doing: "ask for the partitions of \(topic)")
    }
    defer { rd_kafka_metadata_destroy(metadata) }
    guard metadata.pointee.topic_cnt > 0, let answer = metadata.pointee.topics?.pointee,
      answer.err == RD_KAFKA_RESP_ERR_NO_ERROR, let partitions = answer.partitions
    else { throw KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, doing: "read \(topic)") }
    return (0..<Int(answer.partition_cnt)).map { partitions[$0].id }
  }

  private func take() throws(KafkaError) -> KafkaBatch {
    var batch = KafkaBatch()
    let errors = reader.take(from: queue, limit: 1, waitMilliseconds: 200, into: &batch)
    if !batch.records.isEmpty { _ = reader.take(from: queue, limit: 1_000, waitMilliseconds: 0, into: &batch) }
    if let fatal = errors.first(where: { $0.kind == .fatal }) { throw fatal }
    return batch
  }

  /// False for records written after the reading began.
  private func note(_ record: KafkaRecord) -> Bool {
    guard let (_, end) = open[record.partition], record.offset < end else { return false }
    open[record.partition] = record.offset + 1 < end ? (record.offset + 1, end) : nil
    return true
  }

  private func close() {
    rd_kafka_queue_destroy(queue)
    rd_kafka_consumer_close(client)
    rd_kafka_destroy(client)
  }

  // Not in `close`: whoever still calls a closed client must be answered, and a stopped executor answers nobody.
  deinit { executor.shutdown() }
}
