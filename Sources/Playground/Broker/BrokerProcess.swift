import Glibc
import Runtime

/// The embedded Kafka broker as a process of its own: `doorstep broker --topic NAME:PARTITIONS... [--brokers N]`.
///
/// Prints `BOOTSTRAP=host:port,...` when it listens and serves until it is told to end (SIGTERM, SIGINT).
public enum BrokerProcess {
  /// - Returns: the exit status; 2 for arguments it does not know.
  public static func run(arguments: [String]) async -> Int32 {
    guard let options = Options(arguments) else {
      say("usage: doorstep broker [--brokers N] --topic NAME:PARTITIONS [--topic ...]", to: stderr)
      return 2
    }
    do {
      let cluster = try MockCluster(brokers: options.brokers, topics: options.topics)
      say("\(bootstrapLabel)\(cluster.brokers)", to: stdout)
      let told = TimedSignal()
      try ProcessSignals.watch([.terminate, .interrupt]) { _ in told.raise() }
      await told.wait()
      withExtendedLifetime(cluster) {}
      return 0
    } catch {
      say("\(error)", to: stderr)
      return 1
    }
  }

  static let bootstrapLabel = "BOOTSTRAP="
  private static let stdout: Int32 = 1
  private static let stderr: Int32 = 2

  private static func say(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  struct Options: Equatable {
    var brokers = 1
    var topics: [String: Int] = [:]

    init?(_ arguments: [String]) {
      var rest = arguments[...]
      while let name = rest.popFirst() {
        guard let value = rest.popFirst() else { return nil }
        switch name {
        case "--brokers":
          guard let count = Int(value), (1...9).contains(count) else { return nil }
          brokers = count
        case "--topic":
          let parts = value.split(separator: ":", omittingEmptySubsequences: false)
          guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), (1...1_000).contains(count) else {
            return nil
          }
          topics[String(parts[0])] = count
        default: return nil
        }
      }
    }
  }
}
