/// Properties handed through to librdkafka (SASL, TLS, time-outs). Values may be secrets: they never appear in errors
/// or descriptions.
public struct KafkaProperties: Equatable, Sendable, CustomStringConvertible {
  public struct Pair: Equatable, Sendable {
    public var name: String
    public var value: String
  }

  public let pairs: [Pair]

  /// What delivery rests on and must not be set from outside.
  static let reserved: Set<String> = [
    "bootstrap.servers", "metadata.broker.list", "group.id", "enable.auto.offset.store", "enable.auto.commit",
    "auto.commit.enable", "enable.idempotence", "acks", "request.required.acks", "enable.partition.eof",
  ]

  public init() { pairs = [] }

  /// - Throws: `KafkaError` of kind `configuration` for a property that this service sets itself.
  public init(_ pairs: [(name: String, value: String)]) throws(KafkaError) {
    for (name, _) in pairs where Self.reserved.contains(name) {
      throw KafkaError(.configuration, "property \(name): is set by this service and cannot be given")
    }
    self.pairs = pairs.map { Pair(name: $0.name, value: $0.value) }
  }

  public var description: String { pairs.map { "\($0.name)=..." }.joined(separator: ";") }
}
