import CRdKafka

/// What librdkafka calls back into: kept alive by the client that owns it and passed as its opaque pointer.
class ClientCallbacks {
  let observer: any KafkaObserver

  init(observer: any KafkaObserver) { self.observer = observer }

  /// Registers logging and errors; the object must outlive the client.
  func register(in configuration: borrowing ClientConfiguration) {
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    configuration.withHandle { handle in
      rd_kafka_conf_set_opaque(handle, opaque)
      rd_kafka_conf_set_log_cb(handle) { client, level, facility, message in
        ClientCallbacks.of(client)?.observer.kafkaLogged(
          level: Int(level), facility: facility.map { String(cString: $0) } ?? "",
          message: message.map { String(cString: $0) } ?? "")
      }
      rd_kafka_conf_set_error_cb(handle) { client, code, _, _ in
        let error = rd_kafka_resp_err_t(rawValue: code)
        let kind: KafkaError.Kind = error == RD_KAFKA_RESP_ERR__FATAL ? .fatal : .transient
        ClientCallbacks.of(client)?.observer.kafkaFailed(KafkaError(error, doing: "Kafka", kind: kind))
      }
    }
  }

  private static func of(_ client: OpaquePointer?) -> ClientCallbacks? {
    guard let client, let opaque = rd_kafka_opaque(client) else { return nil }
    return Unmanaged<ClientCallbacks>.fromOpaque(opaque).takeUnretainedValue()
  }
}
