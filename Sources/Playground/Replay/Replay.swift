import Codecs
import Domain
import Glibc
import Kafka
import Runtime

/// Publishes recorded CloudEvents, one JSON object a line, with the spacing of their `time`, original or scaled.
public struct Replay: Sendable {
  public struct Options: Equatable, Sendable {
    public var file = ""
    public var brokers = "localhost:9092"
    /// Recorded seconds per real second.
    public var speed = 1.0

    public init() {}
  }

  /// What a line says about where and when to publish it.
  struct Line: Equatable {
    var key: String
    var topic: String
    var time: Instant

    /// Nil for anything but a CloudEvents object with type, subject and time.
    init?(_ bytes: [UInt8]) {
      var found: Line?
      try? JSON.parse(bytes) { root in
        guard let type = root["type"]?.string, let subject = root["subject"]?.string else { return }
        guard let time = root["time"]?.string.flatMap(RFC3339.parse) else { return }
        found = Line(key: subject, topic: type.hasPrefix("rider.") ? Topics.riders : Topics.orders, time: time)
      }
      guard let found else { return nil }
      self = found
    }

    init(key: String, topic: String, time: Instant) {
      self.key = key
      self.topic = topic
      self.time = time
    }
  }

  public static let lineBytesMax = 1 << 20
  /// A batch goes out when so many are due, or when the next is not due yet.
  private static let batchMax = 500

  private let options: Options

  public init(options: Options) { self.options = options }

  /// How many events were published.
  public func run() async throws -> Int {
    let lines = try LineReader(path: options.file, lineBytesMax: Self.lineBytesMax)
    let producer = try KafkaProducer(brokers: options.brokers)
    let published = await Result { try await publish(lines, producer) }
    await producer.close()
    return try published.get()
  }

  private func publish(_ lines: LineReader, _ producer: KafkaProducer) async throws -> Int {
    let begin = MonotonicClock.now
    let pause = TimedSignal()
    var first: Instant?
    var batch: [KafkaMessage] = []
    var count = 0
    while let bytes = try lines.next() {
      guard let line = Line(bytes) else {
        throw PlaygroundError(
          "\(options.file) line \(lines.number): expected a CloudEvents object with type, subject and time")
      }
      let due = line.time.since(first ?? line.time) / options.speed
      first = first ?? line.time
      let wait = due - (MonotonicClock.now - begin)
      if wait > 0 || batch.count >= Self.batchMax {
        try await producer.send(batch)
        batch.removeAll()
        if wait > 0 { await pause.wait(seconds: wait) }
        try Task.checkCancellation()
      }
      batch.append(KafkaMessage(topic: line.topic, key: Array(line.key.utf8), value: bytes))
      count += 1
    }
    try await producer.send(batch)
    return count
  }
}
