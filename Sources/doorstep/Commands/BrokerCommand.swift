import Playground

extension Command {
  static let broker = Command(
    name: "broker", usage: "broker [--brokers N] --topic NAME:PARTITIONS [--topic ...]",
    summary: "an embedded Kafka broker for trials; prints BOOTSTRAP=... and keeps nothing when it ends",
    run: { await BrokerProcess.run(arguments: $0) })
}
