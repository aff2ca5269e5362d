import Domain
import Service

/// The store ports in memory: the same rules as the PostgreSQL store, held by the same conformance tests.
///
/// For the simulation and unit tests only. Nothing here survives the process; `crash` of the simulation keeps it.
public actor MemoryStore {
  /// A class, so that looking through all rows copies none.
  final class OrderEntry {
    var row: OrderRow { didSet { facts = Facts(row.delivery) } }
    var version: Int64
    /// When this store first knew the order.
    var knownSince: Instant
    /// What rows are looked up by, as the columns of a table would hold it.
    private(set) var facts: Facts

    init(row: OrderRow, version: Int64, knownSince: Instant) {
      self.row = row
      self.version = version
      self.knownSince = knownSince
      facts = Facts(row.delivery)
    }
  }

  struct Facts {
    var user: UserID?
    var placedBy: InstallationID?
    var rider: RiderID?
    var finishedAt: Instant?

    init(_ delivery: Delivery) {
      user = delivery.user
      placedBy = delivery.placedBy
      rider = delivery.rider
      finishedAt = delivery.finishedAt
    }

    /// Shown on this phone: it is the user's, or placed the order.
    func belong(to installation: Installation) -> Bool {
      placedBy == installation.id || (user != nil && user == installation.user)
    }
  }

  struct PhoneEntry {
    var installation: Installation
    var revision: Int64
    var credentialHash: [UInt8]?
    var registeredAt: Instant
    var budget = PhoneBudget()
    var attempt: Int64 = 0
    var registration: Int64 = 0
    /// Monotonic seconds at which the open reservation lapses.
    var reservedUntil: Double?
  }

  struct CardKey: Hashable {
    var order: OrderID
    var phone: InstallationID
    var generation: Int32
  }

  struct CardEntry {
    var view: CardView
    var activityID: String?
    var revision: Int64 = 0
    var apsTimestamp: Int64 = 0
    var tokenRegisteredAt: Instant?
  }

  /// One order on one phone.
  struct Pair: Hashable {
    var order: OrderID
    var phone: InstallationID
  }

  struct RingKey: Hashable {
    var pair: Pair
    var life: Int32
    var stage: Stage
  }

  static let installationsPerUserMax = 20
  static let ordersPerRiderMax = 50
  /// A finished order without a card stays in view so long, for its last alert.
  static let finishedSeconds = 3_600.0
  /// A token registered so much later than APNs's verdict was registered anew (docs/apns.md).
  static let tokenSkewSeconds = 60.0

  let clock: any Clock
  var orders: [OrderID: OrderEntry] = [:]
  var riders: [RiderID: Versioned<RiderState>] = [:]
  var tombstones: Set<OrderID> = []
  var offsets: [TopicPartition: Int64] = [:]
  var phones: [InstallationID: PhoneEntry] = [:]
  var cards: [CardKey: CardEntry] = [:]
  var rings: Set<RingKey> = []
  var suppressed: Set<Pair> = []
  var intents: [Pair: Instant] = [:]
  /// Cards to be ended although their order runs: logged out, erased or ended by an operator.
  var withdrawn: Set<Pair> = []
  var setRollout: Rollout?
  public internal(set) var auditLog: [AuditEntry] = []
  var epochs: [Int32: Int64] = [:]

  public init(clock: any Clock) { self.clock = clock }

  /// The phones that an order is shown on: its user's, and the one that placed it.
  func phones(of order: OrderID) -> [InstallationID] {
    guard let facts = orders[order]?.facts else { return [] }
    let shown = phones.filter { facts.belong(to: $1.installation) }.map(\.key)
    let carrying = cards.keys.filter { $0.order == order }.map(\.phone)
    return Set(shown).union(carrying).sorted()
  }

  /// Cards whose end was accepted and is not known yet, with a token that takes it again.
  func endingCards() -> [CardView] {
    cards.values.map(\.view).filter { $0.phase == .ending && $0.updateToken != nil }
  }

  func cardKeys(_ pair: Pair) -> [CardKey] {
    cards.keys.filter { $0.order == pair.order && $0.phone == pair.phone }.sorted { $0.generation < $1.generation }
  }
}
