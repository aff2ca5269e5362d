import CRdKafka
import Glibc
import Runtime

/// One member of a consumer group, on a thread of its own.
///
/// Partitions are taken over cooperatively. Nothing is committed but what `store` was told; librdkafka commits that
/// every second, when partitions are handed over and at `close`. Polls come one after another, from one task.
public actor KafkaConsumer {
  /// For freshly assigned partitions: the offset up to which the data is known to be kept. Partitions that are
  /// missing in the answer are read from their beginning. Throwing delays the assignment until the next poll.
  public typealias StartOffsets = @Sendable ([KafkaPartition]) async throws -> [KafkaPartition: Int64]

  /// Prefetched records are bounded by this for the whole consumer (librdkafka's own default is 64 MiB).
  public static let queueKilobytesMax = 16_384
  public static let queueRecordsMin = 5_000
  static let fetchBytesMax = 8 << 20
  static let commitIntervalMilliseconds = 1_000
  /// A poll that waits looks up this often to see whether it was cancelled.
  static let waitSliceSeconds = 0.2
  static let committedTimeoutMilliseconds: Int32 = 10_000

  private let executor: ThreadExecutor
  private let client: OpaquePointer
  private let queue: OpaquePointer
  private let rebalancing: Rebalancing
  private let observer: any KafkaObserver
  private let startOffsets: StartOffsets?
  private var reader = MessageReader()
  private var isPaused = false
  private var isClosed = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes the client and subscribes; the join of the group goes on in the background.
  /// - Parameter startOffsets: nil leaves the start to the offsets that Kafka has (then to the earliest).
  public init(
    brokers: String, group: String, topics: [String], properties: KafkaProperties = KafkaProperties(),
    observer: any KafkaObserver = SilentKafkaObserver(), startOffsets: StartOffsets? = nil
  ) throws(KafkaError) {
    let rebalancing = Rebalancing(observer: observer)
    let configuration = ClientConfiguration()
    try configuration.set([
      ("partition.assignment.strategy", "cooperative-sticky"), ("auto.offset.reset", "earliest"),
      ("queued.max.messages.kbytes", String(Self.queueKilobytesMax)),
      ("queued.min.messages", String(Self.queueRecordsMin)), ("fetch.max.bytes", String(Self.fetchBytesMax)),
      ("auto.commit.interval.ms", String(Self.commitIntervalMilliseconds)),
    ])
    try configuration.set(properties)
    try configuration.set([
      ("bootstrap.servers", brokers), ("group.id", group), ("enable.auto.offset.store", "false"),
      ("enable.auto.commit", "true"), ("client.id", "doorstep"),
    ])
    rebalancing.register(in: configuration)
    rebalancing.registerRebalances(in: configuration)
    client = try configuration.makeClient(RD_KAFKA_CONSUMER)
    rd_kafka_poll_set_consumer(client)
    guard let queue = rd_kafka_queue_get_consumer(client) else {
      throw KafkaError(.fatal, "cannot get the consumer's queue")
    }
    self.queue = queue
    self.rebalancing = rebalancing
    self.observer = observer
    self.startOffsets = startOffsets
    executor = ThreadExecutor(name: "kafka-consumer")
    let code = Self.subscribe(client, to: topics)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
      rd_kafka_queue_destroy(queue)
      rd_kafka_destroy(client)
      executor.shutdown()
      throw KafkaError(code, doing: "subscribe to \(topics.joined(separator: ", "))", kind: .configuration)
    }
  }

  private static func subscribe(_ client: OpaquePointer, to topics: [String]) -> rd_kafka_resp_err_t {
    let list = PartitionList(topics.map { KafkaPartition(topic: $0, partition: RD_KAFKA_PARTITION_UA) })
    return rd_kafka_subscribe(client, list.handle)
  }

  // MARK: Reading

  /// At most `limit` records, as soon as there is one; an empty batch after `waitSeconds` of real time without any.
  ///
  /// Must be called at least every `max.poll.interval.ms`, also while paused, or the group takes the partitions away.
  /// - Throws: `KafkaError` of kind `fatal`, or what `startOffsets` threw.
  public func poll(limit: Int, waitSeconds: Double) async throws -> KafkaBatch {
    guard !isClosed, limit > 0 else { return KafkaBatch() }
    let deadline = MonotonicClock.now + max(0, waitSeconds)
    var batch = KafkaBatch()
    repeat {
      try await completeAssignment()
      guard !isClosed else { break }
      let slice = min(max(0, deadline - MonotonicClock.now), Self.waitSliceSeconds)
      try take(into: &batch, limit: 1, waitSeconds: slice)
    } while batch.records.isEmpty && MonotonicClock.now < deadline && !Task.isCancelled
    if !batch.records.isEmpty, limit > 1 { try take(into: &batch, limit: limit - 1, waitSeconds: 0) }
    addEnds(to: &batch)
    return batch
  }

  /// librdkafka fills up to its limit or waits out its time; so the first record is waited for alone.
  private func take(into batch: inout KafkaBatch, limit: Int, waitSeconds: Double) throws(KafkaError) {
    let taken = reader.take(from: queue, limit: limit, waitMilliseconds: Int32(waitSeconds * 1_000), into: &batch)
    for error in taken where error.kind == .fatal { throw error }
    for error in taken { observer.kafkaFailed(error) }
  }

  private func addEnds(to batch: inout KafkaBatch) {
    for record in batch.records {
      let partition = KafkaPartition(topic: record.topic, partition: record.partition)
      if batch.ends[partition] == nil { batch.ends[partition] = end(of: partition) }
    }
  }

  private func end(of partition: KafkaPartition) -> Int64? {
    var (low, high): (Int64, Int64) = (-1, -1)
    let code = rd_kafka_get_watermark_offsets(client, partition.topic, partition.partition, &low, &high)
    return code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
  }

  // MARK: Assignment

  /// Finishes an assignment that librdkafka announced: looks up where to start and takes the partitions over.
  private func completeAssignment() async throws {
    guard let announced = rebalancing.announced else { return }
    let offsets = try await start(of: announced)
    guard !isClosed else { return }
    // A later rebalance may have changed or withdrawn the announcement meanwhile; then the next poll sees to it.
    guard rebalancing.announced == announced else { return }
    rebalancing.announced = nil
    if let error = rebalancing.assign(offsets, client) { return observer.kafkaFailed(error) }
    if isPaused { setPaused(true) }
    observer.kafkaAssigned(offsets)
  }

  /// min(Kafka's, the data's): a store that lost commits re-reads them (docs/delivery-semantics.md 1.9).
  private func start(of partitions: [KafkaPartition]) async throws -> [KafkaPartition: Int64] {
    guard let startOffsets else {
      return Dictionary(uniqueKeysWithValues: partitions.map { ($0, Int64(RD_KAFKA_OFFSET_INVALID)) })
    }
    let kept = try await startOffsets(partitions)
    guard !isClosed else { return [:] }
    let committed = try committed(of: partitions)
    return Dictionary(
      uniqueKeysWithValues: partitions.map { partition in
        guard let kept = kept[partition] else { return (partition, Int64(RD_KAFKA_OFFSET_BEGINNING)) }
        return (partition, committed[partition].map { min($0, kept) } ?? kept)
      })
  }

  /// What the group has committed; partitions without a commit are missing.
  func committed(of partitions: [KafkaPartition]) throws(KafkaError) -> [KafkaPartition: Int64] {
    let list = PartitionList(partitions)
    let code = rd_kafka_committed(client, list.handle, Self.committedTimeoutMilliseconds)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code, doing: "read the committed offsets") }
    let known = list.entries.filter { $0.offset >= 0 }.map { ($0.partition, $0.offset) }
    return Dictionary(known) { first, _ in first }
  }

  /// Goes back to the start offsets of all assigned partitions, where those lie before what was read: for a store
  /// that came back as another.
  public func realign() async throws {
    guard let startOffsets, !isClosed else { return }
    let partitions = assignment
    let kept = try await startOffsets(partitions)
    guard !isClosed else { return }
    var targets: [KafkaPartition: Int64] = [:]
    for entry in position(of: partitions) {
      let target = kept[entry.partition] ?? Int64(RD_KAFKA_OFFSET_BEGINNING)
      if target < entry.offset { targets[entry.partition] = target }
    }
    guard !targets.isEmpty else { return }
    let list = PartitionList(targets)
    let error = rd_kafka_seek_partitions(client, list.handle, Self.committedTimeoutMilliseconds)
    if let error = KafkaError(consuming: error, doing: "go back to the kept offsets") { throw error }
  }

  private func position(of partitions: [KafkaPartition]) -> [PartitionList.Entry] {
    guard !isClosed else { return [] }
    let list = PartitionList(partitions)
    guard rd_kafka_position(client, list.handle) == RD_KAFKA_RESP_ERR_NO_ERROR else { return [] }
    return list.entries
  }

  /// The partitions that this member reads now.
  public var assignment: [KafkaPartition] {
    var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    guard !isClosed, rd_kafka_assignment(client, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
    defer { rd_kafka_topic_partition_list_destroy(list) }
    return PartitionList.entries(of: list).map(\.partition)
  }

  /// Records between what was handed out and each assigned partition's end, as far as its last fetch told.
  public func lag() -> [KafkaPartition: Int64] {
    var lag: [KafkaPartition: Int64] = [:]
    for entry in position(of: assignment) where entry.offset >= 0 {
      if let end = end(of: entry.partition) { lag[entry.partition] = max(0, end - entry.offset) }
    }
    return lag
  }

  // MARK: Progress

  /// The offsets to read next, once the data of all records before them is kept. Partitions that were taken away
  /// meanwhile are passed over: their new owner reads them again.
  public func store(next offsets: [KafkaPartition: Int64]) throws(KafkaError) {
    guard !offsets.isEmpty, !isClosed else { return }
    let list = PartitionList(offsets)
    let code = rd_kafka_offsets_store(client, list.handle)
    let isOthers = code == RD_KAFKA_RESP_ERR__STATE || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR || isOthers else { throw KafkaError(code, doing: "store offsets") }
  }

  /// Commits what was stored, now, and waits for the broker's answer.
  public func commit() throws(KafkaError) {
    guard !isClosed else { return }
    let code = rd_kafka_commit(client, nil, 0)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR__NO_OFFSET else {
      throw KafkaError(code, doing: "commit offsets")
    }
  }

  /// Stops fetching while polls go on and keep the membership: for a store that is slow or away.
  public func pause() {
    isPaused = true
    setPaused(true)
  }

  public func resume() {
    isPaused = false
    setPaused(false)
  }

  private func setPaused(_ paused: Bool) {
    guard !isClosed else { return }
    let list = PartitionList(assignment)
    if paused {
      rd_kafka_pause_partitions(client, list.handle)
    } else {
      rd_kafka_resume_partitions(client, list.handle)
    }
  }

  /// Commits what was stored, and leaves the group. Later calls do nothing.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    rd_kafka_queue_destroy(queue)
    let code = rd_kafka_consumer_close(client)
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { observer.kafkaFailed(KafkaError(code, doing: "leave the group")) }
    rd_kafka_destroy(client)
  }

  // Not in `close`: whoever still calls a closed client must be answered, and a stopped executor answers nobody.
  deinit { executor.shutdown() }
}
