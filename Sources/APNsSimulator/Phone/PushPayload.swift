import FoundationEssentials

/// A push's body as the phone takes it apart: keys of `aps` by Apple's names (docs/apns.md 4.1), content and attributes
/// by the installed app's types. A part that is missing or of the wrong type is nil.
struct PushPayload: Decodable, Sendable {
  enum Event: String, Decodable, Sendable { case start, update, end }

  struct Alert: Decodable, Sendable {
    /// Title, body or a localisation key is there and not empty.
    var hasText = false

    private enum Key: String, CodingKey {
      case title, body
      case titleKey = "title-loc-key"
      case key = "loc-key"
    }

    private struct Localised: Decodable {
      var key: String
      private enum CodingKeys: String, CodingKey { case key = "loc-key" }
    }

    init(from decoder: any Decoder) throws {
      let keyed = try decoder.container(keyedBy: Key.self)
      hasText = [Key.title, .body, .titleKey, .key].contains { key in
        if let text = try? keyed.decodeIfPresent(String.self, forKey: key) { return !text.isEmpty }
        return (try? keyed.decodeIfPresent(Localised.self, forKey: key)).map { !$0.key.isEmpty } ?? false
      }
    }
  }

  var timestamp: Int64?
  var event: Event?
  var content: ShownContent?
  var hasContent = false
  var attributesType: String?
  /// Decoded from `attributes`.
  var attributesOrder: String?
  var alert: Alert?
  var staleAt: Int64?
  var dismissAt: Int64?
  var asksForToken = false
  var channel: String?
  /// Bytes of content and attributes are not known apart; the whole body's limit serves for both.
  var relevance: Double?
  /// Custom keys beside `aps`, for alerts.
  var orderID: String?
  var stage: String?

  static let build = CodingUserInfoKey(rawValue: "appBuild")

  /// Nil when the body is not a JSON object with an `aps` object.
  static func decode(_ body: [UInt8], for build: AppBuild) -> PushPayload? {
    let decoder = JSONDecoder()
    if let key = Self.build { decoder.userInfo[key] = build }
    return try? decoder.decode(PushPayload.self, from: Data(body))
  }

  private enum Outer: String, CodingKey { case aps, orderId, stage }

  private enum Inner: String, CodingKey {
    case timestamp, event, attributes, alert
    case content = "content-state"
    case attributesType = "attributes-type"
    case staleAt = "stale-date"
    case dismissAt = "dismissal-date"
    case relevance = "relevance-score"
    case token = "input-push-token"
    case channel = "input-push-channel"
  }

  init(from decoder: any Decoder) throws {
    let build = Self.build.flatMap { decoder.userInfo[$0] as? AppBuild } ?? .builtIn
    let outer = try decoder.container(keyedBy: Outer.self)
    orderID = try? outer.decodeIfPresent(String.self, forKey: .orderId)
    stage = try? outer.decodeIfPresent(String.self, forKey: .stage)
    let aps = try outer.nestedContainer(keyedBy: Inner.self, forKey: .aps)
    timestamp = try? aps.decodeIfPresent(Int64.self, forKey: .timestamp)
    event = try? aps.decodeIfPresent(Event.self, forKey: .event)
    hasContent = aps.contains(.content)
    if hasContent { content = try? build.content(from: aps.superDecoder(forKey: .content)) }
    attributesType = try? aps.decodeIfPresent(String.self, forKey: .attributesType)
    if aps.contains(.attributes) { attributesOrder = try? build.order(from: aps.superDecoder(forKey: .attributes)) }
    alert = try? aps.decodeIfPresent(Alert.self, forKey: .alert)
    staleAt = try? aps.decodeIfPresent(Int64.self, forKey: .staleAt)
    dismissAt = try? aps.decodeIfPresent(Int64.self, forKey: .dismissAt)
    relevance = try? aps.decodeIfPresent(Double.self, forKey: .relevance)
    asksForToken = (try? aps.decodeIfPresent(Int.self, forKey: .token)) == 1
    channel = try? aps.decodeIfPresent(String.self, forKey: .channel)
  }
}
