import Codecs
import Documents
import Domain
import Glibc
import Kafka
import Runtime
import Testing

/// A foreign platform whose topic is read through the first mapping of docs/mapping.md: what was published comes back
/// from a real broker, is decoded and applied as ingest does it.
struct Platform {
  /// Everything that came of the records.
  struct Story: Sendable {
    var deliveries: [OrderID: Delivery] = [:]
    var verdicts: [OrderID: [Applied.Verdict]] = [:]
    /// Where each order stood after each of its events.
    var stages: [OrderID: [Stage]] = [:]
    var fixes: [RiderID: [Fix]] = [:]
    var skipped: [String] = []
    /// Codes of refusals by the label that the test gave the record in its key.
    var refused: [String: String] = [:]
    var read = 0

    func stage(_ order: String) -> Stage? { deliveries[OrderID(order)]?.stage }
  }

  static let now = Instant(seconds: 1_777_900_000)
  private(set) var messages: [KafkaMessage] = []

  /// One status event in the platform's own form.
  mutating func status(
    _ order: String, _ sequence: String, _ word: String, id: String = "e", at: String = "2026-05-04T11:20:00Z",
    label: String? = nil, partition: Int32 = 0, rest: String = ""
  ) {
    raw(
      #"{"id":"\#(id)","type":"order.status","order":"\#(order)","seq":\#(sequence),"at":"\#(at)","#
        + #""data":{"status":"\#(word)"}\#(rest)}"#, label: label, partition: partition)
  }

  mutating func raw(_ text: String, label: String? = nil, partition: Int32 = 0) {
    bytes(Array(text.utf8), label: label, partition: partition)
  }

  mutating func bytes(_ value: [UInt8], label: String?, partition: Int32 = 0) {
    messages.append(
      KafkaMessage(topic: "", key: label.map { Array($0.utf8) }, value: value, partition: partition))
  }

  func run(_ name: String, partitions: Int = 1, storyOrder: ((KafkaRecord, KafkaRecord) -> Bool)? = nil) async throws
    -> Story
  {
    let topic = try TestTopic(name, partitions: partitions)
    let producer = try KafkaProducer(brokers: topic.brokers)
    try await producer.send(
      messages.map { message in
        var message = message
        message.topic = topic.name
        return message
      })
    await producer.close()
    // Without a group: joining one takes seconds on the embedded broker.
    let collected = Lock<[KafkaRecord]>([])
    let reader = try KafkaTopicReader(brokers: topic.brokers, topic: topic.name)
    try await reader.read { record in collected.withLock { $0.append(record) } }
    var records = collected.withLock { $0 }
    if let storyOrder { records.sort(by: storyOrder) }
    let decoder = EventDecoder(mapping: try Self.mapping(for: topic.name))
    var story = Story()
    for record in records { story.take(record, decoder) }
    return story
  }

  private static func mapping(for topic: String, _ file: String = #filePath) throws -> Mapping {
    let top = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    let page = String(decoding: try Document.bytes(of: top + "/docs/mapping.md"), as: UTF8.self)
    let begin = try #require(page.firstRange(of: "```yaml\n")?.upperBound)
    let end = try #require(page[begin...].firstRange(of: "\n```")?.lowerBound)
    let text = page[begin..<end].replacing("courier.events", with: topic)
    return try Mapping(try Document.parse(Array(text.utf8), file: "mapping.yaml"))
  }
}

extension Platform.Story {
  mutating func take(_ record: KafkaRecord, _ decoder: EventDecoder) {
    read += 1
    let decoded = decoder.decode(
      topicRole: .orders, topic: record.topic, key: record.key, value: record.value, now: Platform.now)
    switch decoded {
    case .event(let event): apply(event)
    case .several(let events): for event in events { apply(event) }
    case .skipped(let type): skipped.append(type)
    case .refused(let refusal):
      let label = record.key.map { String(decoding: $0, as: UTF8.self) } ?? "?"
      refused[label] = refusal.code
    }
  }

  private mutating func apply(_ event: DeliveryEvent) {
    switch event {
    case .order(let event):
      var delivery = deliveries[event.order] ?? Delivery(id: event.order)
      let applied = Tracker.apply(event, to: &delivery, now: Platform.now)
      deliveries[event.order] = delivery
      verdicts[event.order, default: []].append(applied.verdict)
      stages[event.order, default: []].append(delivery.stage)
    case .rider(let event):
      if case .position(let fix) = event.what { fixes[event.rider, default: []].append(fix) }
    }
  }
}
