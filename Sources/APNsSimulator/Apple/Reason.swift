/// The reasons that APNs gives, each with its status (docs/apns.md 3.1).
public enum Reason: String, Sendable, CaseIterable {
  case badCollapseId = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageId = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyId = "UnrelatedKeyIdInToken"
  case badEnvironmentKeyId = "BadEnvironmentKeyIdInToken"
  /// The same reason as seen on the wire.
  case badEnvironmentKey = "BadEnvironmentKeyInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"
  // Broadcast and channels (docs/apns.md 6.3).
  case missingPushType = "MissingPushType"
  case featureNotEnabled = "FeatureNotEnabled"
  case missingChannelId = "MissingChannelId"
  case badChannelId = "BadChannelId"
  case channelNotRegistered = "ChannelNotRegistered"
  case badRequestParams = "BadRequestParams"
  case badRequestPayload = "BadRequestPayload"
  case cannotCreateChannelConfig = "CannotCreateChannelConfig"
  case topicMismatch = "TopicMismatch"

  public var status: Int {
    switch self {
    case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
      .missingProviderToken, .unrelatedKeyId, .badEnvironmentKeyId, .badEnvironmentKey, .topicMismatch:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    default: 400
    }
  }
}
