import Domain

/// What is registered for a user, for an operator's eyes: no token, only that there is one and since when.
public struct InstallationSummary: Equatable, Sendable {
  public var installation: Installation
  /// When the app was first and last heard of.
  public var registeredAt: Instant
  public var seenAt: Instant?

  public init(installation: Installation, registeredAt: Instant, seenAt: Instant?) {
    self.installation = installation
    self.registeredAt = registeredAt
    self.seenAt = seenAt
  }
}

/// A card as the app knows it: by its activity's id.
public struct ActivityStanding: Equatable, Sendable {
  public var order: OrderID
  public var activityID: String
  public var generation: Int32
  public var phase: CardView.Phase
  public var attributesType: String
  public var startedBy: CardView.Starter
  public var startedAt: Instant

  public init(
    order: OrderID, activityID: String, generation: Int32, phase: CardView.Phase, attributesType: String,
    startedBy: CardView.Starter, startedAt: Instant
  ) {
    self.order = order
    self.activityID = activityID
    self.generation = generation
    self.phase = phase
    self.attributesType = attributesType
    self.startedBy = startedBy
    self.startedAt = startedAt
  }
}

/// What belonged to an erased user: phones to be woken, and orders whose personal data is still to be forgotten.
public struct ErasedUser: Equatable, Sendable {
  public var phones: [InstallationID]
  public var orders: [OrderID]

  public init(phones: [InstallationID], orders: [OrderID]) {
    self.phones = phones
    self.orders = orders
  }
}

/// Something that an operator did, kept for good.
public struct AuditEntry: Equatable, Sendable {
  public var at: Instant
  /// Id of the service key.
  public var actor: String
  /// A word of a closed list, such as `order.end`.
  public var action: String
  /// The order, user (hashed where it was erased) or switch that it was done to.
  public var subject: String

  public init(at: Instant, actor: String, action: String, subject: String) {
    self.at = at
    self.actor = actor
    self.action = action
    self.subject = subject
  }
}

/// Rows as log-outs and operators need them. Errors that are worth another try are `StoreUnavailable`.
public protocol AdministrationStore: Sendable {
  /// Unbinds the installation from its user, forgets its credential, device and start tokens, and withdraws its cards;
  /// these keep their update tokens until their end is accepted or expired (docs/delivery-semantics.md 5.8).
  /// - Returns: false when it is not registered.
  func logOut(_ installation: InstallationID, now: Instant) async throws -> Bool
  /// The same for all installations of a user; a hash of the id and the time stay (rule 1.11). What is personal in the
  /// user's orders is for the caller to forget.
  func erase(_ user: UserID, now: Instant) async throws -> ErasedUser
  /// At most 20, the newest first.
  func installations(of user: UserID, now: Instant) async throws -> [InstallationSummary]
  /// The activities that this installation's app reported, oldest generation first.
  func activities(on installation: InstallationID) async throws -> [ActivityStanding]
  /// Marks all cards of the order as to be ended at once. - Returns: their phones; nil for an unknown order.
  func endCards(of order: OrderID, now: Instant) async throws -> [InstallationID]?
  /// Forgets what was told to the cards of the order, so that the newest state is said again. - Returns: as `endCards`.
  func forgetTold(of order: OrderID) async throws -> [InstallationID]?
  /// What operators last set; nil when they never did.
  func rollout() async throws -> Rollout?
  func setRollout(_ rollout: Rollout, now: Instant) async throws
  func audit(_ entry: AuditEntry) async throws
}
