/// The `apns-*` headers of one push to a device, each checked by its own rule (docs/apns.md 1.4 to 1.8).
struct PushHeaders: Equatable {
  enum PushType: String, CaseIterable {
    case alert, background, liveactivity, voip, location, complication, fileprovider, pushtotalk, mdm, controls, widgets

    /// What follows the bundle id in the topic.
    var topicSuffix: String {
      switch self {
      case .alert, .background, .mdm: ""
      case .liveactivity: ".push-type.liveactivity"
      case .voip: ".voip"
      case .location: ".location-query"
      case .complication: ".complication"
      case .fileprovider: ".pushkit.fileprovider"
      case .pushtotalk: ".voip-ptt"
      case .controls: ".push-type.controls"
      case .widgets: ".push-type.widgets"
      }
    }

    var bodyBytesMax: Int { self == .voip ? 5120 : 4096 }
  }

  static let collapseIDBytesMax = 64

  var authorization: String?
  var topic: String?
  var type = PushType.alert
  var priority = 10
  /// Unix seconds; 0 = one attempt; nil = the default of 30 days.
  var expiration: Int64?
  var collapseID: String?
  var id: String?

  /// Reads the table; the first rule that is broken gives the reason.
  static func read(_ headers: [(name: String, value: String)], strict: Bool) -> Result<PushHeaders, Refusal> {
    var seen: [String: String] = [:]
    for (name, value) in headers {
      if name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
        return .failure(Refusal(.badPath, "header \(name) is not lower case"))
      }
      if seen.updateValue(value, forKey: name) != nil { return .failure(Refusal(.duplicateHeaders, name)) }
    }
    var result = PushHeaders()
    result.authorization = seen["authorization"]
    result.topic = seen["apns-topic"]
    do throws(Refusal) {
      result.id = try identifier(seen["apns-id"])
      result.priority = try priority(seen["apns-priority"])
      result.expiration = try expiration(seen["apns-expiration"])
      result.collapseID = try collapseID(seen["apns-collapse-id"])
      result.type = try pushType(seen["apns-push-type"], strict: strict)
    } catch {
      return .failure(error)
    }
    return result.priorityFitsType(strict: strict)
  }

  private func priorityFitsType(strict: Bool) -> Result<PushHeaders, Refusal> {
    if type == .background && priority != 5 {
      return .failure(Refusal(.badPriority, "background takes priority 5 only"))
    }
    if strict && type == .liveactivity && priority == 1 {
      return .failure(Refusal(.badPriority, "liveactivity takes 5 or 10"))
    }
    return .success(self)
  }

  private static func identifier(_ text: String?) throws(Refusal) -> String? {
    guard let text else { return nil }
    guard isCanonicalUUID(text) else { throw Refusal(.badMessageId, "apns-id must be a lower-case UUID") }
    return text
  }

  private static func priority(_ text: String?) throws(Refusal) -> Int {
    guard let text else { return 10 }
    guard ["1", "5", "10"].contains(text), let value = Int(text) else {
      throw Refusal(.badPriority, "apns-priority must be 1, 5 or 10")
    }
    return value
  }

  private static func expiration(_ text: String?) throws(Refusal) -> Int64? {
    guard let text else { return nil }
    guard let value = Int64(text), value >= 0, value < 100_000_000_000 else {
      throw Refusal(.badExpirationDate, "apns-expiration must be Unix seconds")
    }
    return value
  }

  private static func collapseID(_ text: String?) throws(Refusal) -> String? {
    guard let text else { return nil }
    guard !text.isEmpty, text.utf8.count <= collapseIDBytesMax else {
      throw Refusal(.badCollapseId, "apns-collapse-id must have 1 to \(collapseIDBytesMax) bytes")
    }
    return text
  }

  private static func pushType(_ text: String?, strict: Bool) throws(Refusal) -> PushType {
    guard let text else {
      if strict { throw Refusal(.invalidPushType, "apns-push-type is missing") }
      return .alert
    }
    guard let type = PushType(rawValue: text) else { throw Refusal(.invalidPushType, "unknown apns-push-type") }
    return type
  }

  static func isCanonicalUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == UInt8(ascii: "-")
        : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
  }
}

/// Why a request is refused: the reason on the wire and what was wrong, for the violation log.
struct Refusal: Error, Equatable {
  var reason: Reason
  var detail: String
  /// With 410: when APNs found the token dead (card time).
  var since: Moment?

  init(_ reason: Reason, _ detail: String, since: Moment? = nil) {
    self.reason = reason
    self.detail = detail
    self.since = since
  }
}
