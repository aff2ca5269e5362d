import CRdKafka

/// What librdkafka or the brokers refused.
public struct KafkaError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// A property that librdkafka does not know or take: the configuration is wrong.
    case configuration
    /// Passing: brokers away, time-outs, a rebalance. Worth another try.
    case transient
    /// The client is of no use any more and must be made anew.
    case fatal
  }

  public let kind: Kind
  /// librdkafka's name of the error, such as `_ALL_BROKERS_DOWN`; empty for a configuration error.
  public let name: String
  public let description: String

  init(_ kind: Kind, name: String = "", _ description: String) {
    self.kind = kind
    self.name = name
    self.description = description
  }

  init(_ code: rd_kafka_resp_err_t, doing action: String, kind: Kind = .transient) {
    let name = String(cString: rd_kafka_err2name(code))
    self.init(kind, name: name, "\(action): \(String(cString: rd_kafka_err2str(code))) (\(name))")
  }

  /// Takes over and frees a librdkafka error object; nil stands for success.
  init?(consuming error: OpaquePointer?, doing action: String) {
    guard let error else { return nil }
    defer { rd_kafka_error_destroy(error) }
    let name = String(cString: rd_kafka_error_name(error))
    let text = String(cString: rd_kafka_error_string(error))
    self.init(rd_kafka_error_is_fatal(error) != 0 ? .fatal : .transient, name: name, "\(action): \(text) (\(name))")
  }
}

/// Hears what goes on in librdkafka, on any of its threads; must return at once and never fail.
public protocol KafkaObserver: Sendable {
  /// A log line of librdkafka; `level` is syslog's, 0 (emergency) to 7 (debug).
  func kafkaLogged(level: Int, facility: String, message: String)
  func kafkaFailed(_ error: KafkaError)
  func kafkaAssigned(_ partitions: [KafkaPartition: Int64])
  /// `lost`: taken away without asking, others may already own them.
  func kafkaRevoked(_ partitions: [KafkaPartition], lost: Bool)
}

extension KafkaObserver {
  public func kafkaLogged(level: Int, facility: String, message: String) {}
  public func kafkaFailed(_ error: KafkaError) {}
  public func kafkaAssigned(_ partitions: [KafkaPartition: Int64]) {}
  public func kafkaRevoked(_ partitions: [KafkaPartition], lost: Bool) {}
}

/// Hears nothing.
public struct SilentKafkaObserver: KafkaObserver {
  public init() {}
}
