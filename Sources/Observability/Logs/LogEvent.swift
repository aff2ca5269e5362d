/// Something worth a line. The whole vocabulary is in LogVocabulary.swift; there is no free text.
public struct LogEvent: Sendable {
  /// Stable word for searches and alerts.
  public let name: StaticString
  public let level: LogLevel
  /// What happened and, where somebody must act, what to do.
  public let text: StaticString

  init(_ name: StaticString, _ level: LogLevel, _ text: StaticString) {
    self.name = name
    self.level = level
    self.text = text
  }
}

/// One fact beside an event. Only the kinds below exist, so that no token, key, name or place can get into a line.
public struct LogField: Sendable {
  enum Value: Sendable, Equatable {
    case int(Int64)
    case double(Double)
    case text(String)
  }

  let key: StaticString
  let value: Value

  private init(_ key: StaticString, _ value: Value) {
    self.key = key
    self.value = value
  }

  /// Bytes of one text that are kept.
  static let textBytesMax = 300

  private static func text(_ key: StaticString, _ text: String) -> LogField {
    LogField(key, .text(Redaction.bounded(text, bytesMax: textBytesMax)))
  }
}

extension LogField {
  public static func order(_ id: String) -> LogField { text("order", id) }
  public static func installation(_ id: String) -> LogField { text("installation", id) }
  public static func topic(_ name: String) -> LogField { text("topic", name) }
  public static func partition(_ number: Int32) -> LogField { LogField("partition", .int(Int64(number))) }
  public static func offset(_ number: Int64) -> LogField { LogField("offset", .int(number)) }
  public static func shard(_ number: Int32) -> LogField { LogField("shard", .int(Int64(number))) }
  public static func count(_ number: Int) -> LogField { LogField("count", .int(Int64(number))) }
  public static func limit(_ number: Int) -> LogField { LogField("limit", .int(Int64(number))) }
  public static func status(_ number: Int) -> LogField { LogField("status", .int(Int64(number))) }
  public static func seconds(_ number: Double) -> LogField { LogField("seconds", .double(number)) }
  /// A word of a closed list: a code, an outcome, a reason of APNs, an SQLSTATE.
  public static func code(_ word: String) -> LogField { text("code", word) }
  public static func component(_ word: StaticString) -> LogField { text("component", "\(word)") }
  public static func setting(_ name: String) -> LogField { text("setting", name) }
  public static func address(_ hostAndPort: String) -> LogField { text("address", hostAndPort) }
  public static func file(_ path: String) -> LogField { text("file", path) }
  public static func version(_ text: String) -> LogField { Self.text("version", text) }
  public static func route(_ template: String) -> LogField { text("route", template) }
  /// Id of a service key (not the key).
  public static func actor(_ keyID: String) -> LogField { text("actor", keyID) }
  public static func apnsID(_ id: String) -> LogField { text("apnsId", id) }
  /// The trace id of a W3C `traceparent`; an ill-formed one gives an empty text.
  public static func trace(_ traceparent: String) -> LogField {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    return LogField("traceId", .text(parts.count == 4 && parts[1].utf8.count == 32 ? String(parts[1]) : ""))
  }
  /// An error in its own words, with everything that looks like a token or a key masked.
  public static func error(_ error: any Error) -> LogField { detail("\(error)") }
  /// Text of a library or a peer, masked as `error`.
  public static func detail(_ text: String) -> LogField { Self.text("detail", Redaction.masked(text)) }
}
