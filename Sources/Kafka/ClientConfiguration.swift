import CRdKafka

/// Owns a `rd_kafka_conf_t` until a client takes it over.
struct ClientConfiguration: ~Copyable {
  private var handle: OpaquePointer?

  init() { handle = rd_kafka_conf_new() }

  deinit {
    if let handle { rd_kafka_conf_destroy(handle) }
  }

  func set(_ name: String, _ value: String) throws(KafkaError) {
    let problem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text -> Bool in
      rd_kafka_conf_set(handle, name, value, text.baseAddress, text.count) != RD_KAFKA_CONF_OK
    }
    // librdkafka's own sentence would carry the value, which may be a secret.
    guard !problem else { throw KafkaError(.configuration, "property \(name): librdkafka refused its name or value") }
  }

  func set(_ defaults: [(String, String)]) throws(KafkaError) {
    for (name, value) in defaults { try set(name, value) }
  }

  func set(_ properties: KafkaProperties) throws(KafkaError) {
    for pair in properties.pairs { try set(pair.name, pair.value) }
  }

  /// The raw handle, for callbacks; valid during the call.
  func withHandle(_ body: (OpaquePointer?) -> Void) { body(handle) }

  /// Makes the client, which then owns the configuration.
  consuming func makeClient(_ type: rd_kafka_type_t) throws(KafkaError) -> OpaquePointer {
    var message = ""
    let client = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text -> OpaquePointer? in
      let client = rd_kafka_new(type, handle, text.baseAddress, text.count)
      if client == nil, let start = text.baseAddress { message = String(cString: start) }
      return client
    }
    guard let client else { throw KafkaError(.configuration, "cannot make the Kafka client: \(message)") }
    handle = nil
    return client
  }
}

/// Owns a `rd_kafka_topic_partition_list_t`.
struct PartitionList: ~Copyable {
  let handle: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  init(_ offsets: [KafkaPartition: Int64]) {
    handle = rd_kafka_topic_partition_list_new(Int32(clamping: offsets.count))
    for (partition, offset) in offsets {
      rd_kafka_topic_partition_list_add(handle, partition.topic, partition.partition)?.pointee.offset = offset
    }
  }

  init(_ partitions: some Sequence<KafkaPartition>) {
    handle = rd_kafka_topic_partition_list_new(8)
    for partition in partitions { rd_kafka_topic_partition_list_add(handle, partition.topic, partition.partition) }
  }

  deinit { rd_kafka_topic_partition_list_destroy(handle) }

  var entries: [Entry] { Self.entries(of: handle) }

  struct Entry {
    var partition: KafkaPartition
    var offset: Int64
    var error: rd_kafka_resp_err_t
  }

  static func entries(of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?) -> [Entry] {
    guard let list = list?.pointee, let elements = list.elems else { return [] }
    return (0..<Int(list.cnt)).map { index in
      let element = elements[index]
      let topic = element.topic.map { String(cString: $0) } ?? ""
      let partition = KafkaPartition(topic: topic, partition: element.partition)
      return Entry(partition: partition, offset: element.offset, error: element.err)
    }
  }
}
