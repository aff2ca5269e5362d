import CRdKafka

/// Copies messages out of librdkafka's queue.
struct MessageReader {
  private var messages: [UnsafeMutablePointer<rd_kafka_message_t>?] = []
  /// Topic names by librdkafka's topic handle: one string for all records of a topic.
  private var topics: [OpaquePointer: String] = [:]

  /// Appends up to `limit` records to the batch; returns the errors that came among them.
  mutating func take(
    from queue: OpaquePointer, limit: Int, waitMilliseconds: Int32, into batch: inout KafkaBatch
  ) -> [KafkaError] {
    if messages.count < limit { messages = Array(repeating: nil, count: limit) }
    let count = rd_kafka_consume_batch_queue(queue, waitMilliseconds, &messages, limit)
    var errors: [KafkaError] = []
    for index in 0..<max(0, Int(count)) {
      guard let message = messages[index] else { continue }
      defer { rd_kafka_message_destroy(message) }
      if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        batch.records.append(record(message))
      } else {
        errors.append(error(message.pointee))
      }
    }
    return errors
  }

  private mutating func record(_ message: UnsafeMutablePointer<rd_kafka_message_t>) -> KafkaRecord {
    let raw = message.pointee
    var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let timestamp = rd_kafka_message_timestamp(message, &type)
    return KafkaRecord(
      topic: topicName(raw.rkt), partition: raw.partition, offset: raw.offset,
      key: raw.key.map { Self.bytes($0, raw.key_len) }, value: raw.payload.map { Self.bytes($0, raw.len) },
      headers: Self.headers(of: message),
      timestampMilliseconds: type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp)
  }

  private mutating func topicName(_ handle: OpaquePointer?) -> String {
    guard let handle else { return "" }
    if let name = topics[handle] { return name }
    let name = String(cString: rd_kafka_topic_name(handle))
    topics[handle] = name
    return name
  }

  private static func bytes(_ start: UnsafeMutableRawPointer, _ count: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private static func headers(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> [KafkaHeader] {
    var list: OpaquePointer?
    guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
    var headers: [KafkaHeader] = []
    var (name, value, size): (UnsafePointer<CChar>?, UnsafeRawPointer?, Int) = (nil, nil, 0)
    while rd_kafka_header_get_all(list, headers.count, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
      guard let name else { break }
      headers.append(KafkaHeader(String(cString: name), Array(UnsafeRawBufferPointer(start: value, count: size))))
    }
    return headers
  }

  private func error(_ message: rd_kafka_message_t) -> KafkaError {
    let isFatal = message.err == RD_KAFKA_RESP_ERR__FATAL
    return KafkaError(message.err, doing: "consume", kind: isFatal ? .fatal : .transient)
  }
}
