import FoundationEssentials

/// Something that goes wrong on purpose: which pushes, how often, and what happens to them.
public struct Fault: Codable, Sendable {
  public enum Effect: Equatable, Sendable {
    case answer(status: Int, reason: String)
    case delay(milliseconds: Int)
    /// Never answered, not processed.
    case silence
    /// The stream is reset, the push not processed.
    case resetBefore
    /// Processed, then the stream is reset.
    case resetAfter
    /// Processed, never answered.
    case loseAnswer
    /// Answered 200, and the phone drops it.
    case dropOnDevice
    /// GOAWAY after so many further streams.
    case goAway(after: Int, form: GoAwayForm = .json)
    case streamLimit(Int)
    /// The connection is cut.
    case cut
    /// New connections are granted so few bytes at a time.
    case windowBytes(Int)
    /// New connections are read in bursts with pauses of so long.
    case slowReader(milliseconds: Int)

    var isOfConnection: Bool {
      switch self {
      case .windowBytes, .slowReader: true
      default: false
      }
    }
  }

  /// What GOAWAY's debug data looks like; all three are seen in life (docs/apns.md 1.12).
  public enum GoAwayForm: String, Codable, Sendable {
    case json, text, empty

    var data: [UInt8] {
      switch self {
      case .json: Array(#"{"reason":"Shutdown"}"#.utf8)
      case .text: Array("shutting down".utf8)
      case .empty: []
      }
    }
  }

  public var effect: Effect
  public var token: String?
  public var installation: String?
  public var topic: String?
  public var environment: APNsEnvironment?
  /// start, update, end, alert, background.
  public var event: String?
  public var rate: Double?
  /// So many times, then it ends.
  public var count: Int?
  /// Real time.
  public var fromMicros: Int64?
  public var untilMicros: Int64?

  public init(_ effect: Effect) {
    self.effect = effect
  }

  func matches(_ push: FaultTarget, now: Moment) -> Bool {
    if let count, count <= 0 { return false }
    if let fromMicros, now.micros < fromMicros { return false }
    if let untilMicros, now.micros >= untilMicros { return false }
    return (token ?? push.token) == push.token && (installation ?? push.installation) == push.installation
      && (topic ?? push.topic) == push.topic && (environment ?? push.environment) == push.environment
      && (event ?? push.event) == push.event
  }
}

/// What faults are matched against.
struct FaultTarget {
  var token: String
  var installation: String
  var topic: String
  var environment: APNsEnvironment
  var event: String
}

extension Fault.Effect: Codable {
  private enum Key: String, CodingKey {
    case answer, delayMilliseconds, goAwayAfter, goAwayForm, streamLimit, windowBytes, slowReaderMilliseconds
  }

  private struct Answer: Codable {
    var status: Int
    var reason: String
  }

  private static let words: [String: Fault.Effect] = [
    "silence": .silence, "resetBefore": .resetBefore, "resetAfter": .resetAfter, "loseAnswer": .loseAnswer,
    "dropOnDevice": .dropOnDevice, "cut": .cut,
  ]

  public init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {
      guard let effect = Self.words[word] else {
        let known = Self.words.keys.sorted().joined(separator: ", ")
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no effect \(word); there are \(known)"))
      }
      self = effect
      return
    }
    let keyed = try decoder.container(keyedBy: Key.self)
    if let answer = try keyed.decodeIfPresent(Answer.self, forKey: .answer) {
      self = .answer(status: answer.status, reason: answer.reason)
    } else if let delay = try keyed.decodeIfPresent(Int.self, forKey: .delayMilliseconds) {
      self = .delay(milliseconds: delay)
    } else if let streams = try keyed.decodeIfPresent(Int.self, forKey: .goAwayAfter) {
      self = .goAway(
        after: streams, form: try keyed.decodeIfPresent(Fault.GoAwayForm.self, forKey: .goAwayForm) ?? .json)
    } else if let bytes = try keyed.decodeIfPresent(Int.self, forKey: .windowBytes) {
      self = .windowBytes(bytes)
    } else if let pause = try keyed.decodeIfPresent(Int.self, forKey: .slowReaderMilliseconds) {
      self = .slowReader(milliseconds: pause)
    } else {
      self = .streamLimit(try keyed.decode(Int.self, forKey: .streamLimit))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if let word = Self.words.first(where: { $0.value == self })?.key {
      var single = encoder.singleValueContainer()
      return try single.encode(word)
    }
    var keyed = encoder.container(keyedBy: Key.self)
    switch self {
    case .answer(let status, let reason): try keyed.encode(Answer(status: status, reason: reason), forKey: .answer)
    case .delay(let milliseconds): try keyed.encode(milliseconds, forKey: .delayMilliseconds)
    case .goAway(let streams, let form):
      try keyed.encode(streams, forKey: .goAwayAfter)
      try keyed.encode(form, forKey: .goAwayForm)
    case .streamLimit(let streams): try keyed.encode(streams, forKey: .streamLimit)
    case .windowBytes(let bytes): try keyed.encode(bytes, forKey: .windowBytes)
    case .slowReader(let pause): try keyed.encode(pause, forKey: .slowReaderMilliseconds)
    default: break
    }
  }
}
