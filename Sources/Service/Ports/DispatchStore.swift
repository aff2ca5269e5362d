import Domain

/// The right to reserve pushes for a shard of phones; void once the shard's epoch has moved on (rule 3.4).
public struct ShardLease: Hashable, Sendable {
  public var shard: Int32
  public var epoch: Int64

  public init(shard: Int32, epoch: Int64) {
    self.shard = shard
    self.epoch = epoch
  }
}

/// News for the dispatcher. May be lost or doubled without harm: the sweep is the net.
public struct Wakes: Equatable, Sendable {
  public var orders: Set<OrderID> = []
  public var phones: Set<InstallationID> = []

  public init(orders: Set<OrderID> = [], phones: Set<InstallationID> = []) {
    self.orders = orders
    self.phones = phones
  }

  public var isEmpty: Bool { orders.isEmpty && phones.isEmpty }

  public mutating func merge(_ other: Wakes) {
    orders.formUnion(other.orders)
    phones.formUnion(other.phones)
  }
}

/// A decided push for which a durable reservation is asked, with everything the decision rested on.
public struct ReservationRequest: Sendable {
  public var phone: InstallationID
  public var lease: ShardLease
  public var plan: PushPlan
  /// Version of the order row chosen on.
  public var orderVersion: Int64
  /// Attempt number of the phone chosen on (`LoadedPhone.attempt`); the reservation makes it one more.
  public var attempt: Int64
  /// Registration number of the phone chosen on (`LoadedPhone.registration`): a card may have come since.
  public var registration: Int64
  /// The phone's budget after this push.
  public var budget: PhoneBudget
  /// What told becomes when APNs accepts: desired as of the decision.
  public var desired: Snapshot?
  /// Real seconds until the reservation lapses: at least three push deadlines (rule 3.2).
  public var leaseSeconds: Double

  public init(
    phone: InstallationID, lease: ShardLease, plan: PushPlan, orderVersion: Int64, attempt: Int64,
    registration: Int64, budget: PhoneBudget, desired: Snapshot?, leaseSeconds: Double
  ) {
    self.phone = phone
    self.lease = lease
    self.plan = plan
    self.orderVersion = orderVersion
    self.attempt = attempt
    self.registration = registration
    self.budget = budget
    self.desired = desired
    self.leaseSeconds = leaseSeconds
  }
}

/// A push that may now be sent: once, before `reservedUntil`.
public struct Reservation: Equatable, Sendable {
  public var phone: InstallationID
  public var attempt: Int64
  /// Strictly increasing per card, whole business seconds (rule 2, `aps.timestamp`).
  public var apsTimestamp: Int64

  public init(phone: InstallationID, attempt: Int64, apsTimestamp: Int64) {
    self.phone = phone
    self.attempt = attempt
    self.apsTimestamp = apsTimestamp
  }
}

/// What became of a reserved push; written only where the phone's attempt is still this one.
public struct Settlement: Sendable {
  public enum Result: Equatable, Sendable {
    /// 200: told becomes desired; a start leaves its card unconfirmed, an end leaves it ending.
    case accepted
    /// In doubt, not a start: content may be sent again, its ring may not (rule 5.3).
    case failed
    /// Certainly not processed (not sent, refused stream, 5xx): start claim and ring mark are released (rule 4.2, 4.3).
    case released
    /// A start that may or may not have been accepted: taken as accepted, unconfirmed (rule 4.3).
    case startInDoubt
    /// The token is dead; nil `since` when APNs gave no time. Compare-and-delete on exactly this token (apns 3.2).
    case tokenDead(token: PushToken, since: Instant?, reason: String)
    /// Our own fault (a 4xx that a repeat cannot cure): this state is not sent again; a newer one is.
    case refused
  }

  public var phone: InstallationID
  public var attempt: Int64
  public var plan: PushPlan
  public var desired: Snapshot?
  public var result: Result
  /// Business time of the answer.
  public var at: Instant

  public init(
    phone: InstallationID, attempt: Int64, plan: PushPlan, desired: Snapshot?, result: Result, at: Instant
  ) {
    self.phone = phone
    self.attempt = attempt
    self.plan = plan
    self.desired = desired
    self.result = result
    self.at = at
  }
}

/// A phone read for a decision.
public struct LoadedPhone: Sendable {
  public var view: PhoneView
  public var shard: Int32
  /// Attempt number of the phone's newest reservation.
  public var attempt: Int64
  /// Moves with every registration of the phone or of one of its cards.
  public var registration: Int64
  /// A reservation of this phone is open for so many real seconds more; nil when none is.
  public var reservedForSeconds: Double?
  /// For each order: trace context and the record time of its newest visible change.
  public var causes: [OrderID: Cause]

  public struct Cause: Equatable, Sendable {
    public var traceparent: String?
    public var recordAt: Instant?

    public init(traceparent: String? = nil, recordAt: Instant? = nil) {
      self.traceparent = traceparent
      self.recordAt = recordAt
    }
  }

  public init(
    view: PhoneView, shard: Int32, attempt: Int64, registration: Int64, reservedForSeconds: Double?,
    causes: [OrderID: Cause] = [:]
  ) {
    self.view = view
    self.shard = shard
    self.attempt = attempt
    self.registration = registration
    self.reservedForSeconds = reservedForSeconds
    self.causes = causes
  }
}

/// Cards and phones, as the dispatcher needs them.
public protocol DispatchStore: Sendable {
  /// Takes these shards: moves their epochs on, so that a former owner's reservations fail.
  func take(shards: [Int32], owner: String) async throws -> [ShardLease]
  /// The phones that the news concerns (of woken orders: all phones of their users, and the placing phone), read fresh.
  func phones(for wakes: Wakes, now: Instant) async throws -> [LoadedPhone]
  /// One statement: reserves each request whose lease, order version, attempt and registration still hold; the others
  /// are missing from the answer. Debits budgets, writes start and ring marks; a start's card row exists before its
  /// push.
  func reserve(_ requests: [ReservationRequest], now: Instant) async throws -> [Reservation]
  /// One transaction; a settlement whose attempt is no longer the phone's is dropped and counted in the answer.
  func settle(_ settlements: [Settlement]) async throws -> SettleCount
  /// Phones of these shards that have a running order or a card not known to be gone, in id order after `last`.
  func livePhones(shards: [Int32], after last: InstallationID?, limit: Int) async throws -> [InstallationID]
}

public struct SettleCount: Equatable, Sendable {
  public var settled: Int
  public var outdated: Int

  public init(settled: Int, outdated: Int) {
    self.settled = settled
    self.outdated = outdated
  }
}
