import Domain
import Service

/// The store as one incarnation of the service sees it: effects end with its life, and the database is away at times,
/// sometimes after it did what was asked. Everything reserved through it is audited.
final class FaultyStore: @unchecked Sendable {
  // Unchecked: used from one executor at a time.
  private let store: MemoryStore
  private let life: Incarnation
  private let luck: Luck
  private let audit: Audit

  init(store: MemoryStore, life: Incarnation, luck: Luck, audit: Audit) {
    self.store = store
    self.life = life
    self.luck = luck
    self.audit = audit
  }

  private func reading<Result>(else nothing: Result, _ body: () async throws -> Result) async throws -> Result {
    try await life.effect(else: nothing) {
      if luck.strikes(.storeAway, 0.001) { throw StoreUnavailable("simulated") }
      return try await body()
    }
  }

  /// A write may be done although its answer never came.
  private func writing<Result>(else nothing: Result, _ body: () async throws -> Result) async throws -> Result {
    try await life.effect(else: nothing) {
      if luck.strikes(.storeAway, 0.001) { throw StoreUnavailable("simulated") }
      let result = try await body()
      if luck.strikes(.commitInDoubt, 0.002) { throw StoreUnavailable("simulated, after the commit") }
      return result
    }
  }
}

extension FaultyStore: DeliveryStore {
  func load(orders: [OrderID], riders: [RiderID]) async throws -> LoadedDeliveries {
    try await reading(else: LoadedDeliveries()) { try await store.load(orders: orders, riders: riders) }
  }

  func commit(_ commit: IngestCommit) async throws -> CommitOutcome {
    try await writing(else: .committed) { try await store.commit(commit) }
  }

  func nextOffsets() async throws -> [TopicPartition: Int64] {
    try await reading(else: [:]) { try await store.nextOffsets() }
  }

  func refreshTimes(after last: OrderID?, limit: Int) async throws -> [(OrderID, Instant)] {
    try await reading(else: []) { try await store.refreshTimes(after: last, limit: limit) }
  }
}

extension FaultyStore: DispatchStore {
  func take(shards: [Int32], owner: String) async throws -> [ShardLease] {
    try await store.take(shards: shards, owner: owner)
  }

  func phones(for wakes: Wakes, now: Instant) async throws -> [LoadedPhone] {
    try await reading(else: []) { try await store.phones(for: wakes, now: now) }
  }

  func reserve(_ requests: [ReservationRequest], now: Instant) async throws -> [Reservation] {
    try await writing(else: []) {
      let reservations = try await store.reserve(requests, now: now)
      audit.reserved(requests, reservations)
      return reservations
    }
  }

  func settle(_ settlements: [Settlement]) async throws -> SettleCount {
    try await writing(else: SettleCount(settled: 0, outdated: 0)) {
      audit.settled(settlements)
      return try await store.settle(settlements)
    }
  }

  func livePhones(shards: [Int32], after last: InstallationID?, limit: Int) async throws -> [InstallationID] {
    try await reading(else: []) { try await store.livePhones(shards: shards, after: last, limit: limit) }
  }
}

/// Wake-ups as they fare in life: lost and doubled at times (docs/delivery-semantics.md 3.4).
final class FaultyWaker: Waker, @unchecked Sendable {
  // Unchecked: used from one executor at a time.
  private let inbox: MemoryInbox
  private let life: Incarnation
  private let luck: Luck

  init(inbox: MemoryInbox, life: Incarnation, luck: Luck) {
    self.inbox = inbox
    self.life = life
    self.luck = luck
  }

  func wake(_ wakes: Wakes) {
    life.effect {
      if luck.strikes(.wakeLost, 0.005) { return }
      inbox.wake(wakes)
      if luck.strikes(.wakeDoubled, 0.01) { inbox.wake(wakes) }
    }
  }
}
