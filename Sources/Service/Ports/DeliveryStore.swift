import Domain

/// A row as it was read, with the version that a write must find unchanged. Version 0: there is no row yet.
public struct Versioned<Value: Sendable>: Sendable {
  public var value: Value
  public var version: Int64

  public init(_ value: Value, version: Int64) {
    self.value = value
    self.version = version
  }
}

extension Versioned: Equatable where Value: Equatable {}

/// An order's row: the delivery, and until when it may cause starts and rings.
public struct OrderRow: Equatable, Sendable {
  public var delivery: Delivery
  /// Cause time + 10 min when the newest visible change was fresh, else the distant past (rule 1.12).
  public var causeFreshUntil: Instant
  /// Carried to the pushes that this state causes.
  public var traceparent: String?
  /// Timestamp of the Kafka record that made the newest visible change (real time), for event-to-push latency.
  public var causeRecordAt: Instant?

  public init(
    delivery: Delivery, causeFreshUntil: Instant = .distantPast, traceparent: String? = nil,
    causeRecordAt: Instant? = nil
  ) {
    self.delivery = delivery
    self.causeFreshUntil = causeFreshUntil
    self.traceparent = traceparent
    self.causeRecordAt = causeRecordAt
  }
}

public struct LoadedDeliveries: Sendable {
  public var orders: [OrderID: Versioned<OrderRow>]
  public var riders: [RiderID: Versioned<RiderState>]
  /// Running orders that each asked rider carries (also among `orders`); at most 50 (rule 1.8).
  public var carried: [RiderID: [OrderID]]
  /// Finished orders whose rows are gone (rule 1.11): events for them change nothing.
  public var tombstones: Set<OrderID>

  public init(
    orders: [OrderID: Versioned<OrderRow>] = [:], riders: [RiderID: Versioned<RiderState>] = [:],
    carried: [RiderID: [OrderID]] = [:], tombstones: Set<OrderID> = []
  ) {
    self.orders = orders
    self.riders = riders
    self.carried = carried
    self.tombstones = tombstones
  }
}

/// One transaction of ingest: data and offsets together (rule 1.9).
public struct IngestCommit: Sendable {
  public var orders: [Versioned<OrderRow>] = []
  public var riders: [Versioned<RiderState>] = []
  public var nextOffsets: [TopicPartition: Int64] = [:]
  /// Business time of the decision: since when a new order counts as known.
  public var now: Instant

  public init(now: Instant) { self.now = now }
}

public enum CommitOutcome: Equatable, Sendable {
  case committed
  /// Somebody else wrote these first; nothing of the commit was written. Load again and decide again.
  case conflict(orders: Set<OrderID>, riders: Set<RiderID>)
}

/// Orders and riders, as ingest and timers need them. Errors that are worth another try are `StoreUnavailable`.
public protocol DeliveryStore: Sendable {
  /// Reads without locks. Also reads the running orders that the asked riders carry, and the riders of asked orders.
  func load(orders: [OrderID], riders: [RiderID]) async throws -> LoadedDeliveries
  /// Writes all or nothing, each row only where its version is the one read; rows are taken in id order.
  func commit(_ commit: IngestCommit) async throws -> CommitOutcome
  /// Next offsets as of the last commit, for the consumer's assignment.
  func nextOffsets() async throws -> [TopicPartition: Int64]
  /// Running orders with the time of their next refresh, to rebuild the timer queue; in id order, after `last`.
  func refreshTimes(after last: OrderID?, limit: Int) async throws -> [(OrderID, Instant)]
}

/// The database cannot answer now; the same call may succeed later. `reason` is fit for a log.
public struct StoreUnavailable: Error, CustomStringConvertible {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }

  public var description: String { "the database cannot answer now: \(reason)" }
}

/// The database refused this data itself (SQLSTATE class 22 or 23): bisect down to the record (rule 1.10).
public struct StoreRefused: Error, CustomStringConvertible {
  public let reason: String
  public let sqlState: String

  public init(_ reason: String, sqlState: String) {
    self.reason = reason
    self.sqlState = sqlState
  }

  public var description: String { "the database refused the data (\(sqlState)): \(reason)" }
}
