import Domain
import Service

/// Hears what happens between this process and APNs; metrics and logs hang on it.
///
/// Calls come from the pools' own threads: take note and return at once. Nothing secret is handed over.
public protocol APNsObserver: Sendable {
  /// Whenever it changed; one pool a key and environment.
  func connections(_ counts: ConnectionCounts, keyID: String, environment: PushEnvironment)
  /// Streams open in one pool, at the end of a turn that changed it.
  func streams(_ open: Int, keyID: String, environment: PushEnvironment)
  /// `reason` is APNs's word, or empty.
  func goAway(reason: String, environment: PushEnvironment)
  /// A connection could not be opened or broke; `cause` says which host and what to look at.
  func connectionFailed(_ cause: String, environment: PushEnvironment)
  /// The provider token in use; called when it changed and about once a second.
  func providerToken(ageSeconds: Double, keyID: String)
  /// A token could not be had from its store, or not be signed.
  func providerTokenFailed(_ cause: String, keyID: String)
  func circuit(_ change: CircuitChange)
  /// Answers of one turn, of one sink.
  func answered(_ answers: [PushAnswer], environment: PushEnvironment)
  /// A device token was given up, or kept although APNs called it bad, for this reason word.
  func badToken(_ lane: PushLane, reason: String, isGivenUp: Bool)
}

public struct ConnectionCounts: Equatable, Sendable {
  public var connecting = 0
  public var ready = 0
  public var draining = 0

  public init(connecting: Int = 0, ready: Int = 0, draining: Int = 0) {
    self.connecting = connecting
    self.ready = ready
    self.draining = draining
  }
}

/// A circuit opened (an alarm), or closed again.
public struct CircuitChange: Equatable, Sendable {
  public enum Cause: String, CaseIterable, Sendable {
    case unreachable, serverErrors, keyRefused, appRefused, providerTokenRefused, tooManyProviderTokens, paused
    case tokensRefused
  }

  public var keyID: String
  public var environment: PushEnvironment
  /// The app concerned; nil when it is the whole key.
  public var bundleID: String?
  /// nil when it closed.
  public var openedBy: Cause?
  /// APNs's word, or empty.
  public var reason: String
}

extension APNsObserver {
  public func connections(_ counts: ConnectionCounts, keyID: String, environment: PushEnvironment) {}
  public func streams(_ open: Int, keyID: String, environment: PushEnvironment) {}
  public func goAway(reason: String, environment: PushEnvironment) {}
  public func connectionFailed(_ cause: String, environment: PushEnvironment) {}
  public func providerToken(ageSeconds: Double, keyID: String) {}
  public func providerTokenFailed(_ cause: String, keyID: String) {}
  public func circuit(_ change: CircuitChange) {}
  public func answered(_ answers: [PushAnswer], environment: PushEnvironment) {}
  public func badToken(_ lane: PushLane, reason: String, isGivenUp: Bool) {}
}

/// Hears nothing: the default.
public struct SilentAPNsObserver: APNsObserver {
  public init() {}
}
