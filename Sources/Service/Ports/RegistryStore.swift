import Domain

/// A field of a registration: left out keeps its value, explicit null clears it.
public enum Change<Value: Sendable>: Sendable {
  case keep
  case clear
  case set(Value)
}

extension Change: Equatable where Value: Equatable {}

/// `PUT /v1/installations/{id}`, understood.
public struct InstallationReport: Sendable {
  public var id: InstallationID
  /// Monotonic per installation, kept by the app: an older one is acknowledged and ignored (rule 5.4).
  public var revision: Int64
  public var user: Change<UserID> = .keep
  public var bundleID: String?
  public var environment: PushEnvironment?
  public var osVersion: Change<OSVersion> = .keep
  public var appVersion: Change<String> = .keep
  public var locale: Change<String> = .keep
  public var timeZone: Change<String> = .keep
  public var uses24HourClock: Bool?
  public var activitiesEnabled: Bool?
  public var frequentPushesEnabled: Bool?
  public var notifications: Installation.Authorization?
  public var timeSensitiveAllowed: Bool?
  public var soundAllowed: Bool?
  public var deviceID: Change<String> = .keep
  public var deviceToken: Change<PushToken> = .keep
  /// By attributes type; merged, nil clears that type's token.
  public var startTokens: [String: PushToken?] = [:]

  public init(id: InstallationID, revision: Int64) {
    self.id = id
    self.revision = revision
  }
}

/// `PUT /v1/orders/{orderId}/activities/{activityId}`, understood.
public struct ActivityReport: Sendable {
  public enum State: String, Sendable, CaseIterable { case pending, active, stale, ended, dismissed }
  public enum Cause: String, Sendable, CaseIterable { case user, app, system, replaced, unknown }

  public var order: OrderID
  public var activityID: String
  public var revision: Int64
  public var installation: InstallationID
  public var attributesType: String
  public var updateToken: PushToken?
  public var startedBy: CardView.Starter
  public var startedAt: Instant
  public var state: State
  public var cause: Cause?
  public var displayedSequence: Int64?

  public init(
    order: OrderID, activityID: String, revision: Int64, installation: InstallationID, attributesType: String,
    startedBy: CardView.Starter, startedAt: Instant, state: State
  ) {
    self.order = order
    self.activityID = activityID
    self.revision = revision
    self.installation = installation
    self.attributesType = attributesType
    self.startedBy = startedBy
    self.startedAt = startedAt
    self.state = state
  }
}

public enum RegistrationOutcome: Equatable, Sendable {
  case registered
  /// An older revision than the one held: acknowledged, nothing changed.
  case outdated
  /// The first registration lacks what an installation cannot be without (`bundleId`, `environment`); names it.
  case incomplete(String)
  /// The user already has 20 installations (rule 1.8).
  case tooMany
}

public enum ActivityOutcome: Equatable, Sendable {
  /// The order's current snapshot, nil while the order is not known yet.
  case registered(Snapshot?)
  case outdated(Snapshot?)
  case unknownInstallation
  /// The order belongs to another user.
  case forbidden
  /// Too many cards of one order on one phone, or too many registrations for orders not known yet.
  case tooMany
}

/// Who an installation belongs to, for authorisation.
public struct InstallationOwner: Equatable, Sendable {
  public var user: UserID?
  /// SHA-256 of the installation credential; nil when none was issued.
  public var credentialHash: [UInt8]?

  public init(user: UserID?, credentialHash: [UInt8]?) {
    self.user = user
    self.credentialHash = credentialHash
  }
}

/// Installations, tokens and cards, as the registry needs them.
public protocol RegistryStore: Sendable {
  func owner(of installation: InstallationID) async throws -> InstallationOwner?
  /// One transaction under the lock order user < phone < ... < token; a given `credentialHash` replaces the held one.
  func register(_ report: InstallationReport, credentialHash: [UInt8]?, now: Instant) async throws
    -> RegistrationOutcome
  func report(_ report: ActivityReport, now: Instant) async throws -> ActivityOutcome
  /// One start intent per (order, phone), void at `until`; true when a push start is already claimed (rule 4.1).
  func claimStartIntent(order: OrderID, installation: InstallationID, until: Instant, now: Instant) async throws
    -> Bool
  func snapshot(of order: OrderID) async throws -> (user: UserID?, snapshot: Snapshot?)?
}
