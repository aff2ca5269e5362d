import Domain

/// Shows what sample records become, for `doorstep config check --sample FILE`.
///
/// The file holds one record a line. A line is either an object `{"topic", "role", "key", "headers", "value"}` (all but
/// `value` optional; `raw`, the exact text, may stand for `value`; `value` of null is a tombstone), or the record's
/// value itself.
public struct MappingSample: Sendable {
  public struct Outcome: Equatable, Sendable {
    /// Counts from 1.
    public var line: Int
    public var text: String
    public var isRefused: Bool
  }

  private let decoder: EventDecoder
  private let orderTopics: [String]
  private let riderTopics: [String]
  private let now: Instant

  /// - Parameter now: what counts as the future in the samples.
  public init(mapping: Mapping, orderTopics: [String], riderTopics: [String], now: Instant) {
    decoder = EventDecoder(mapping: mapping)
    self.orderTopics = orderTopics
    self.riderTopics = riderTopics
    self.now = now
  }

  public func outcomes(of file: [UInt8]) -> [Outcome] {
    let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) else { return nil }
      return outcome(of: Array(line), line: index + 1)
    }
  }

  private func outcome(of line: [UInt8], line number: Int) -> Outcome {
    let record = (try? JSON.parse(line) { SampleRecord($0) }) ?? SampleRecord(value: line)
    let topic = record.topic ?? orderTopics.first ?? riderTopics.first ?? ""
    let role = record.role ?? (riderTopics.contains(topic) && !orderTopics.contains(topic) ? .riders : .orders)
    let decoded = decoder.decode(
      topicRole: role, topic: topic, key: record.key, value: record.value, headers: record.headers, now: now)
    return Outcome(line: number, text: EventSummary.text(of: decoded), isRefused: EventSummary.isRefused(decoded))
  }
}

/// One line of a sample file.
private struct SampleRecord {
  var topic: String?
  var role: TopicRole?
  var key: [UInt8]?
  var headers: [(name: String, value: [UInt8])] = []
  var value: [UInt8]?

  init(value: [UInt8]) { self.value = value }

  init(_ node: JSONNode) {
    guard node["value"] != nil || node["raw"] != nil else {
      value = Self.bytes(of: node)
      return
    }
    topic = node["topic"]?.string
    role = node["role"]?.string.flatMap { TopicRole(rawValue: $0) }
    key = node["key"].flatMap { $0.isNull ? nil : Self.text($0) }
    if let given = node["headers"] {
      for (name, value) in given.members { headers.append((name.string ?? "", Self.text(value))) }
    }
    value = node["raw"]?.string.map { Array($0.utf8) } ?? node["value"].flatMap { $0.isNull ? nil : Self.bytes(of: $0) }
  }

  private static func text(_ node: JSONNode) -> [UInt8] { node.string.map { Array($0.utf8) } ?? bytes(of: node) }

  private static func bytes(of node: JSONNode) -> [UInt8] {
    var writer = JSONWriter()
    writer.copy(node)
    return writer.bytes
  }
}

/// Says in a line what a record became.
enum EventSummary {
  static func isRefused(_ decoded: Decoded) -> Bool {
    if case .refused = decoded { true } else { false }
  }

  static func text(of decoded: Decoded) -> String {
    switch decoded {
    case .event(let event): text(of: event)
    case .several(let events): events.map(text(of:)).joined(separator: "; ")
    case .skipped(let type): "skipped: unknown type '\(type)'"
    case .refused(let refusal): "refused (\(refusal.code)): \(refusal.message)"
    }
  }

  private static func text(of event: DeliveryEvent) -> String {
    switch event {
    case .rider(let event):
      let what =
        switch event.what {
        case .position: "position"
        case .online: "online"
        case .offline: "offline"
        }
      return "rider \(event.rider.text): \(what) at \(RFC3339.format(event.time))"
    case .order(let event):
      let stamp = event.stamp
      let fields = names(of: event.changes)
      return "order \(event.order.text): \(event.what.name) at \(RFC3339.format(stamp.time)), sequence "
        + "\(stamp.sequence) in \(stamp.space.name)"
        + (fields.isEmpty ? "" : "; sets " + fields.joined(separator: ", "))
    }
  }

  private static func names(of changes: OrderChanges) -> [String] {
    let fields: [(String, Bool)] = [
      ("userId", changes.user != nil), ("placedByInstallationId", changes.placedBy != nil), ("app", changes.app != nil),
      ("kind", changes.kind != nil), ("store", changes.store != nil), ("destination", changes.destination != nil),
      ("rider", changes.rider != nil), ("promisedAt", changes.promisedAt != nil),
      ("schedule", changes.schedule != nil), ("estimatedReadyAt", changes.estimatedReadyAt != nil),
      ("stopsBefore", changes.stopsBefore != nil), ("eta", changes.platformArrival != nil),
      ("deliveredAt", changes.deliveredAt != nil), ("reason", changes.reason != nil),
      ("by", changes.cancelledBy != nil), ("attributes", changes.attributes != nil),
    ]
    return fields.filter(\.1).map(\.0)
  }
}
