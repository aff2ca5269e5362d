import Codecs
import Domain
import Service

/// One process of the service: the real ingest, dispatcher and registry, turned by hand.
final class RunningService {
  let life: Incarnation
  let registry: PhoneRegistry
  private let inbox = MemoryInbox()
  private let ingestion: Ingest
  private let dispatcher: Dispatcher
  private let clock: ManualClock
  /// The database was away: the dispatcher tries again then.
  private var retryAt: Instant?

  init(life: Incarnation, store: MemoryStore, gateway: PhoneGateway, clock: ManualClock, luck: Luck, audit: Audit) {
    self.life = life
    self.clock = clock
    gateway.life = life
    let faulty = FaultyStore(store: store, life: life, luck: luck, audit: audit)
    let waker = FaultyWaker(inbox: inbox, life: life, luck: luck)
    registry = PhoneRegistry(registry: Registry(store: store, waker: waker, clock: clock))
    ingestion = Ingest(
      source: MemoryRecords(), deadLetters: MemoryDeadLetters(), store: faulty, waker: waker, clock: clock,
      decoder: EventDecoder(), estimator: Estimator(), settings: IngestSettings(riderTopics: ["riders"]))
    dispatcher = Dispatcher(
      store: faulty, gateway: gateway, inbox: inbox, clock: clock, policy: DispatchPolicy(),
      payloads: PayloadBuilder(), settings: DispatchSettings())
  }

  func start() async throws {
    try await dispatcher.take(Shards.all, owner: "simulation")
    try await retrying { try await self.ingestion.loadRefreshTimes() }
    try await sweep()
  }

  func ingest(_ batch: RecordBatch) async throws { try await ingestion.process(batch) }
  func refresh() async throws { try await ingestion.refreshDue() }

  func sweep() async throws {
    try await retrying { try await self.dispatcher.sweep(Shards.all) }
  }

  func turn() async throws {
    if let retryAt, clock.now() < retryAt { return }
    retryAt = nil
    try await retrying { try await self.dispatcher.turn() }
  }

  private func retrying(_ body: () async throws -> Void) async throws {
    do { try await body() } catch is StoreUnavailable { retryAt = clock.now().advanced(by: 0.2) }
  }

  func isIdle() async -> Bool {
    if retryAt != nil { return true }
    guard inbox.isEmpty else { return false }
    return await dispatcher.isIdle
  }

  /// When it wants to be turned again without any news.
  func nextLook() async -> Instant? {
    let times = [retryAt, await dispatcher.nextLook, await ingestion.nextRefresh]
    return times.compactMap { $0 }.min()
  }
}
