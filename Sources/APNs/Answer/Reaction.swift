/// What an answer asks of us: the table of docs/apns.md 3.1, one row a case.
enum Reaction: Equatable, CaseIterable, Sendable {
  /// 200.
  case accepted
  /// Our own fault; the same request fails again.
  case mistake
  /// The token is dead.
  case dropToken
  /// The token is malformed, of the other environment, of another app or kind: dead unless too many are.
  case suspectToken
  /// The key or the team is refused: nothing gets through with this key until an operator mends it.
  case refusedKey
  /// This app is refused with this key.
  case refusedApp
  /// The provider token is over an hour old.
  case expiredProviderToken
  /// Signature, key id or team are wrong: the key file may have been replaced.
  case invalidProviderToken
  /// Provider tokens were renewed too often: keep the one in use.
  case keepProviderToken
  /// The connection is of no more use, the request was not processed.
  case newConnection
  /// This server goes away.
  case leaveServer
  /// Too many pushes to this one token.
  case backOffToken
  /// APNs's own fault, or a pause asked for.
  case backOff
  /// An answer outside HTTP's error classes: nobody knows what became of the push.
  case unclear

  init(status: Int, body: AnswerBody) {
    self =
      switch (status, body.known) {
      case (200, _): .accepted
      case (410, nil) where body.reason.isEmpty: .dropToken
      case (500..., .some(.shutdown)): .leaveServer
      case (500..., _): .backOff
      case (400..., .some(let reason)): Self.ofClientError(status, reason)
      case (403, nil): .refusedKey
      case (429, nil): .backOff
      case (400..., nil): .mistake
      default: .unclear
      }
  }

  private static func ofClientError(_ status: Int, _ reason: KnownReason) -> Reaction {
    switch reason {
    case .badDeviceToken, .deviceTokenNotForTopic: .suspectToken
    case .idleTimeout, .unrelatedKeyIDInToken: .newConnection
    case .topicDisallowed: .refusedApp
    case .expiredProviderToken: .expiredProviderToken
    case .invalidProviderToken: .invalidProviderToken
    case .badCertificate, .badCertificateEnvironment, .forbidden, .badEnvironmentKeyIDInToken,
      .badEnvironmentKeyInToken:
      .refusedKey
    case .tooManyProviderTokenUpdates: .keepProviderToken
    case .tooManyRequests: .backOffToken
    case .expiredToken, .unregistered: .dropToken
    case .internalServerError, .serviceUnavailable, .shutdown: .backOff
    case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders,
      .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .missingProviderToken, .badPath,
      .methodNotAllowed, .payloadTooLarge:
      .mistake
    }
  }
}
