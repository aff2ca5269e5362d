/// A refused record as it lies in the dead-letter topic: unchanged, with the reason and its origin in headers.
public struct DeadLetterRecord: Sendable {
  public var record: KafkaRecord
  public var origin: KafkaPartition
  public var originOffset: Int64
  public var group: String
  public var code: String
  public var message: String

  static let prefix = "__dlq.errors."

  /// The message that goes to the dead-letter topic: key, value, headers and timestamp as they were.
  public static func message(
    for record: KafkaRecord, topic: String, group: String, code: String, message: String
  ) -> KafkaMessage {
    let reasons = [
      ("topic", record.topic), ("partition", String(record.partition)), ("offset", String(record.offset)),
      ("group", group), ("code", code), ("message", message),
    ]
    // A record that comes back a second time keeps only its newest reason.
    let headers = record.headers.filter { !$0.name.hasPrefix(prefix) }
    return KafkaMessage(
      topic: topic, key: record.key, value: record.value,
      headers: headers + reasons.map { KafkaHeader(prefix + $0.0, Array($0.1.utf8)) },
      timestampMilliseconds: record.timestampMilliseconds)
  }

  /// Reads one back; nil for a record without the reason headers.
  public init?(_ record: KafkaRecord) {
    func header(_ name: String) -> String? {
      record.headers.last { $0.name == Self.prefix + name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
    guard let topic = header("topic"), let partition = header("partition").flatMap({ Int32($0) }),
      let offset = header("offset").flatMap({ Int64($0) })
    else { return nil }
    self.record = record
    origin = KafkaPartition(topic: topic, partition: partition)
    originOffset = offset
    group = header("group") ?? ""
    code = header("code") ?? ""
    message = header("message") ?? ""
  }

  /// The record for its original topic again, as it was before it was refused.
  public var replayed: KafkaMessage {
    KafkaMessage(
      topic: origin.topic, key: record.key, value: record.value,
      headers: record.headers.filter { !$0.name.hasPrefix(Self.prefix) },
      timestampMilliseconds: record.timestampMilliseconds)
  }
}

/// Which dead letters are meant; an empty list means all.
public struct DeadLetterFilter: Sendable {
  public var codes: Set<String> = []
  public var topics: Set<String> = []
  /// Record timestamps, milliseconds since 1970.
  public var sinceMilliseconds: Int64?
  public var limit: Int?

  public init() {}

  func includes(_ letter: DeadLetterRecord) -> Bool {
    if !codes.isEmpty, !codes.contains(letter.code) { return false }
    if !topics.isEmpty, !topics.contains(letter.origin.topic) { return false }
    guard let sinceMilliseconds else { return true }
    return letter.record.timestampMilliseconds.map { $0 >= sinceMilliseconds } ?? false
  }
}

/// Looks at refused records and publishes them anew. Sequence rules make a second arrival harmless.
public struct DeadLetterTopic: Sendable {
  private let brokers: String
  private let topic: String
  private let properties: KafkaProperties

  public init(brokers: String, topic: String, properties: KafkaProperties) {
    self.brokers = brokers
    self.topic = topic
    self.properties = properties
  }

  /// All that lie there now and pass the filter, oldest first within each partition.
  public func list(_ filter: DeadLetterFilter) async throws -> [DeadLetterRecord] {
    let letters = Collected()
    let reader = try KafkaTopicReader(brokers: brokers, topic: topic, properties: properties)
    try await reader.read { record in
      guard let letter = DeadLetterRecord(record), filter.includes(letter) else { return }
      await letters.add(letter, limit: filter.limit)
    }
    return await letters.all
  }

  /// Publishes them to their original topics, at most `perSecond` of them a second.
  /// - Returns: how many were published. When it throws, some may have been.
  public func replay(
    _ letters: [DeadLetterRecord], perSecond: Int, pause: @Sendable (_ seconds: Double) async -> Void
  ) async throws -> Int {
    let producer = try KafkaProducer(brokers: brokers, properties: properties)
    var sent = 0
    do {
      while sent < letters.count, !Task.isCancelled {
        if sent > 0 { await pause(1) }
        let batch = letters[sent..<min(sent + max(1, perSecond), letters.count)]
        try await producer.send(batch.map(\.replayed))
        sent += batch.count
      }
    } catch {
      await producer.close()
      throw error
    }
    await producer.close()
    return sent
  }

  private actor Collected {
    private(set) var all: [DeadLetterRecord] = []

    func add(_ letter: DeadLetterRecord, limit: Int?) {
      if all.count < limit ?? .max { all.append(letter) }
    }
  }
}
