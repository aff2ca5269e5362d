/// What every device token that ever was stands for.
struct TokenDirectory {
  enum Kind: Equatable {
    case device
    /// Push-to-start, for one attributes type.
    case start(type: String)
    /// Of one card on the phone.
    case update(card: Int)
  }

  struct Entry: Equatable {
    var phone: Int
    var kind: Kind
    var environment: APNsEnvironment
    var bundle: String
    /// Card time of death and the answer from then on; until `noticedAt` APNs still says 200.
    var death: Death?
    /// Pushes within the current second of card time.
    var burst = Burst()
  }

  struct Death: Equatable {
    var at: Moment
    var noticedAt: Moment
    var afterlife: TokenAfterlife
  }

  struct Burst: Equatable {
    var second: Int64 = 0
    var pushes = 0
  }

  static let hexDigitsMax = 400
  /// Pushes to one token within one second of card time.
  static let burstMax = 20

  private(set) var entries: [String: Entry] = [:]

  mutating func add(_ token: String, _ entry: Entry) {
    entries[token] = entry
  }

  mutating func kill(_ token: String, _ death: Death) {
    if entries[token]?.death == nil { entries[token]?.death = death }
  }

  /// The entry of a live token; a dead one may still be accepted, then it leads nowhere.
  mutating func resolve(
    _ text: String, topic: String, headers: PushHeaders, environment: APNsEnvironment, now: Moment
  ) throws(Refusal) -> Entry {
    guard Self.isWellFormed(text) else { throw Refusal(.badDeviceToken, "not 2 to 400 hexadecimal digits") }
    let token = text.utf8.contains { $0 < UInt8(ascii: "a") && $0 > UInt8(ascii: "9") } ? text.lowercased() : text
    guard var entry = entries[token] else { throw Refusal(.badDeviceToken, "no such token") }
    guard entry.environment == environment else {
      throw Refusal(.badDeviceToken, "the token belongs to \(entry.environment.rawValue)")
    }
    guard topic == entry.bundle + headers.type.topicSuffix, (entry.kind == .device) == (headers.type != .liveactivity)
    else { throw Refusal(.deviceTokenNotForTopic, "\(topic) is not this token's topic") }
    if let death = entry.death, now >= death.noticedAt {
      switch death.afterlife {
      case .accepted: break
      case .badDeviceToken: throw Refusal(.badDeviceToken, Self.deadDetail, since: death.at)
      case .unregistered: throw Refusal(.unregistered, Self.deadDetail, since: death.at)
      case .expiredToken: throw Refusal(.expiredToken, Self.deadDetail, since: death.at)
      }
    }
    try count(&entry, now: now)
    entries[token] = entry
    return entry
  }

  static let deadDetail = "the token is dead"

  private func count(_ entry: inout Entry, now: Moment) throws(Refusal) {
    if entry.burst.second != now.seconds { entry.burst = Burst(second: now.seconds) }
    entry.burst.pushes += 1
    if entry.burst.pushes > Self.burstMax { throw Refusal(.tooManyRequests, "over \(Self.burstMax) in a second") }
  }

  private static func isWellFormed(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count >= 2, count <= hexDigitsMax, count % 2 == 0 else { return false }
    return text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
  }
}
