import FoundationEssentials

/// Broadcast channels of one team's apps (docs/apns.md 6): random ids, bound to an environment, storage policy fixed.
struct ChannelDirectory {
  static let channelsPerAppMax = 10_000

  struct Channel: Equatable {
    var bundle: String
    var environment: APNsEnvironment
    /// Policy 1: the newest message is kept for phones that are offline.
    var stores: Bool
  }

  private(set) var channels: [String: Channel] = [:]

  mutating func create(_ body: [UInt8], id: String, bundle: String, environment: APNsEnvironment) throws(Refusal) {
    guard let wish = try? JSONDecoder().decode(JSONValue.self, from: Data(body)) else {
      throw Refusal(.badRequestPayload, "the body must be a JSON object")
    }
    guard let type = wish["push-type"]?.text else { throw Refusal(.missingPushType, "push-type is missing") }
    guard type == "LiveActivity" else { throw Refusal(.invalidPushType, "push-type must be LiveActivity") }
    guard let policy = wish["message-storage-policy"]?.whole, policy == 0 || policy == 1 else {
      throw Refusal(.badRequestPayload, "message-storage-policy must be 0 or 1")
    }
    guard list(bundle: bundle, environment: environment).count < Self.channelsPerAppMax else {
      throw Refusal(.cannotCreateChannelConfig, "\(Self.channelsPerAppMax) channels are the limit")
    }
    channels[id] = Channel(bundle: bundle, environment: environment, stores: policy == 1)
  }

  func find(_ id: String?, bundle: String, environment: APNsEnvironment) throws(Refusal) -> (String, Channel) {
    guard let id, !id.isEmpty else { throw Refusal(.missingChannelId, "no apns-channel-id") }
    guard Data(base64Encoded: id) != nil else { throw Refusal(.badChannelId, "apns-channel-id must be base64") }
    guard let channel = channels[id], channel.bundle == bundle, channel.environment == environment else {
      throw Refusal(.channelNotRegistered, "no such channel of this app in \(environment.rawValue)")
    }
    return (id, channel)
  }

  mutating func delete(_ id: String) { channels[id] = nil }

  func list(bundle: String, environment: APNsEnvironment) -> [String] {
    channels.filter { $0.value.bundle == bundle && $0.value.environment == environment }.keys.sorted()
  }
}
