import CRdKafka
import Runtime

/// Publishes batches and says when all brokers that matter have them (acks from all replicas, idempotent).
///
/// Lives on a thread of its own, because waiting for the reports blocks.
public actor KafkaProducer {
  /// A message that was not acknowledged after so long has failed.
  public static let deliveryTimeoutSeconds = 30
  static let pollMilliseconds: Int32 = 100
  static let queueKilobytesMax = 65_536

  private let executor: ThreadExecutor
  private let client: OpaquePointer
  private let reports: DeliveryReports
  private var isClosed = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public init(
    brokers: String, properties: KafkaProperties = KafkaProperties(),
    observer: any KafkaObserver = SilentKafkaObserver()
  ) throws(KafkaError) {
    let reports = DeliveryReports(observer: observer)
    let configuration = ClientConfiguration()
    try configuration.set([
      ("linger.ms", "5"), ("partitioner", "murmur2_random"),
      ("message.timeout.ms", String(Self.deliveryTimeoutSeconds * 1_000)),
      ("queue.buffering.max.kbytes", String(Self.queueKilobytesMax)),
    ])
    try configuration.set(properties)
    try configuration.set([
      ("bootstrap.servers", brokers), ("enable.idempotence", "true"), ("acks", "all"), ("client.id", "doorstep"),
    ])
    reports.register(in: configuration)
    reports.registerReports(in: configuration)
    client = try configuration.makeClient(RD_KAFKA_PRODUCER)
    self.reports = reports
    executor = ThreadExecutor(name: "kafka-producer")
  }

  /// Returns when all messages are acknowledged.
  /// - Throws: `KafkaError` when some are not; which of them the brokers have is then unknown.
  public func send(_ messages: [KafkaMessage]) throws(KafkaError) {
    guard !isClosed else { throw KafkaError(.fatal, "publish: the producer is closed") }
    reports.begin()
    var refusal: KafkaError?
    for message in messages {
      refusal = enqueue(message)
      if refusal != nil { break }
    }
    while reports.outstanding > 0 { rd_kafka_poll(client, Self.pollMilliseconds) }
    if let refusal { throw refusal }
    if let failure = reports.firstFailure {
      throw KafkaError(failure, doing: "publish (\(reports.failed) of \(messages.count) messages failed)")
    }
  }

  /// Hands one message over, waiting for room in librdkafka's queue.
  private func enqueue(_ message: KafkaMessage) -> KafkaError? {
    while true {
      let code = Self.produce(client, message)
      if code == RD_KAFKA_RESP_ERR_NO_ERROR {
        reports.outstanding += 1
        return nil
      }
      guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL else { return KafkaError(code, doing: "publish to \(message.topic)") }
      rd_kafka_poll(client, Self.pollMilliseconds)
    }
  }

  private static func produce(_ client: OpaquePointer, _ message: KafkaMessage) -> rd_kafka_resp_err_t {
    let headers = rd_kafka_headers_new(message.headers.count)
    for header in message.headers {
      withBytes(header.value) { value in
        _ = rd_kafka_header_add(headers, header.name, -1, value.start, value.count)
      }
    }
    let code = withBytes(message.key) { key in
      withBytes(message.value) { value in
        crdkafka_produce(
          client, message.topic, message.partition ?? RD_KAFKA_PARTITION_UA, key.start, key.count, value.start,
          value.count, message.timestampMilliseconds ?? 0, headers)
      }
    }
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { rd_kafka_headers_destroy(headers) }
    return code
  }

  /// A pointer that is nil only for nil: no bytes are something else than a null value.
  private static func withBytes<Result>(
    _ bytes: [UInt8]?, _ body: ((start: UnsafeRawPointer?, count: Int)) -> Result
  ) -> Result {
    guard let bytes else { return body((nil, 0)) }
    return (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { body(($0.baseAddress, bytes.count)) }
  }

  /// Ends the client; nothing can be outstanding, since every `send` waits.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    rd_kafka_destroy(client)
  }

  // Not in `close`: whoever still calls a closed client must be answered, and a stopped executor answers nobody.
  deinit { executor.shutdown() }
}

/// Counts delivery reports. They come inside a poll, on the producer's own thread.
final class DeliveryReports: ClientCallbacks {
  var outstanding = 0
  private(set) var failed = 0
  private(set) var firstFailure: rd_kafka_resp_err_t?

  func begin() {
    outstanding = 0
    failed = 0
    firstFailure = nil
  }

  func registerReports(in configuration: borrowing ClientConfiguration) {
    configuration.withHandle { handle in
      rd_kafka_conf_set_dr_msg_cb(handle) { _, message, opaque in
        guard let message, let opaque else { return }
        Unmanaged<DeliveryReports>.fromOpaque(opaque).takeUnretainedValue().note(message.pointee.err)
      }
    }
  }

  private func note(_ code: rd_kafka_resp_err_t) {
    outstanding -= 1
    guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    failed += 1
    firstFailure = firstFailure ?? code
  }
}
