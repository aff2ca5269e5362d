import Codecs
import Domain

/// The first half of the line: records of the platform become committed deliveries, and the dispatcher is woken.
///
/// One instance per consumer. A batch is decoded, folded by order and rider, decided on rows read without locks,
/// written with its offsets in one transaction, and only then acknowledged to Kafka
/// (docs/delivery-semantics.md 1.7, 1.9).
public actor Ingest {
  let source: any RecordSource
  let deadLetters: any DeadLetterSink
  let store: any DeliveryStore
  let waker: any Waker
  let clock: any Clock
  let observer: any ServiceObserver
  let decoder: EventDecoder
  let estimator: Estimator
  let settings: IngestSettings
  /// When running orders want to be looked at without any event.
  var refreshes = DueQueue<OrderID>()

  public init(
    source: any RecordSource, deadLetters: any DeadLetterSink, store: any DeliveryStore, waker: any Waker,
    clock: any Clock, decoder: sending EventDecoder, estimator: Estimator, settings: IngestSettings,
    observer: any ServiceObserver = SilentObserver()
  ) {
    self.source = source
    self.deadLetters = deadLetters
    self.store = store
    self.waker = waker
    self.clock = clock
    self.decoder = decoder
    self.estimator = estimator
    self.settings = settings
    self.observer = observer
  }

  /// Consumes until the task is cancelled; what was polled is finished first.
  public func run() async throws {
    try await retrying("load refresh times") { try await self.loadRefreshTimes() }
    while !Task.isCancelled {
      observer.turned(.ingest)
      let batch = try await source.poll(limit: settings.batchRecordsMax, waitSeconds: settings.pollSeconds)
      try await process(batch)
      try await refreshDue()
    }
  }

  /// Applies one batch and acknowledges it. Returns only when nothing of it can be lost.
  public func process(_ batch: RecordBatch) async throws {
    guard !batch.records.isEmpty else { return }
    let started = clock.monotonic()
    observer.consumerBehind(batch.behindSeconds)
    let work = decode(batch)
    if !work.refused.isEmpty {
      try await retrying("publish dead letters") { try await self.deadLetters.publish(work.refused) }
    }
    try await commit(work)
    try await source.store(next: work.nextOffsets)
    observer.ingestBatch(records: batch.records.count, seconds: clock.monotonic() - started)
  }

  /// Looks again at orders whose estimate may have moved by the clock alone.
  public func refreshDue() async throws {
    let due = refreshes.popDue(at: clock.now(), limit: settings.refreshOrdersMax)
    guard !due.isEmpty else { return }
    try await commit(IngestWork(refresh: due))
  }

  /// When the next running order wants to be looked at without any event.
  public var nextRefresh: Instant? { refreshes.next }

  /// Rebuilds the queue of looks; `run` does it by itself, a simulation turns by hand.
  public func loadRefreshTimes() async throws {
    var last: OrderID?
    while true {
      let page = try await store.refreshTimes(after: last, limit: settings.refreshPageOrders)
      for (order, time) in page { refreshes.set(order, at: time) }
      guard page.count == settings.refreshPageOrders else { return }
      last = page.last?.0
    }
  }

  /// Commits the work; data that the database itself refuses is bisected down to its record (rule 1.10).
  private func commit(_ work: IngestWork) async throws {
    do {
      try await decideAndCommit(work)
    } catch let refusal as StoreRefused {
      guard let halves = work.halves() else { return try await setAside(work, refusal) }
      for half in halves { try await commit(half) }
    }
  }

  private func setAside(_ work: IngestWork, _ refusal: StoreRefused) async throws {
    guard let entry = work.records.first else { throw refusal }
    let letter = DeadLetter(record: entry.record, code: "storeRefused", message: refusal.description)
    observer.deadLetter(code: letter.code, message: letter.message, record: letter.record)
    try await retrying("publish dead letters") { try await self.deadLetters.publish([letter]) }
    var offsets = IngestCommit(now: clock.now())
    offsets.nextOffsets = work.nextOffsets
    let commit = offsets
    try await retrying("commit offsets") { _ = try await self.store.commit(commit) }
  }

  /// Reads, decides and writes until nobody wrote in between.
  private func decideAndCommit(_ work: IngestWork) async throws {
    while true {
      let loaded = try await retrying("load deliveries") {
        try await self.store.load(orders: Array(work.orders.keys), riders: Array(work.riderIDs))
      }
      let decided = IngestDecision.decide(
        work, on: loaded, now: clock.now(), estimator: estimator, settings: settings)
      let outcome = try await retrying("commit deliveries") { try await self.store.commit(decided.commit) }
      guard outcome == .committed else {
        observer.writeConflict()
        continue
      }
      finish(decided)
      return
    }
  }

  private func finish(_ decided: IngestDecision) {
    for entry in decided.outcomes { observer.event(topic: entry.topic, type: entry.type, outcome: entry.outcome) }
    for (order, time) in decided.refreshTimes {
      if let time { refreshes.set(order, at: time) } else { refreshes.remove(order) }
    }
    if !decided.changed.isEmpty { waker.wake(Wakes(orders: decided.changed)) }
  }

  /// A dependency that is away is retried with growing pauses until it answers; nothing is dropped meanwhile.
  private func retrying<Result: Sendable>(
    _ what: String, _ body: () async throws -> Result
  ) async throws -> Result {
    var backoff = Backoff(firstSeconds: settings.retryFirstSeconds, maxSeconds: settings.retryMaxSeconds)
    while true {
      observer.turned(.ingest)
      do { return try await body() } catch let error as StoreUnavailable {
        observer.storeRetry(what, reason: error.reason)
        try Task.checkCancellation()
        await clock.pause(seconds: backoff.next())
      }
    }
  }
}

/// Limits of ingest; names carry the unit.
public struct IngestSettings: Sendable {
  public var batchRecordsMax = 2_000
  public var pollSeconds = 0.02
  public var refreshOrdersMax = 500
  public var refreshPageOrders = 5_000
  public var retryFirstSeconds = 0.1
  public var retryMaxSeconds = 5.0
  /// Starts and rings need a cause younger than this (rule 1.12).
  public var causeSecondsMax = 600.0
  /// ... and a consumer less than this behind its partition's end.
  public var consumerBehindSecondsMax = 60.0
  /// A rider's row is written at most this often without a visible change (rule 1.8).
  public var riderWriteSeconds = 15.0
  public var presentation: PresentationSettings
  /// Topics that carry rider events; all others carry order events.
  public var riderTopics: Set<String>
  /// Events before this instant change state only: for the first day beside an existing sender.
  public var cutover: Instant?

  public init(riderTopics: Set<String>, presentation: PresentationSettings = PresentationSettings()) {
    self.riderTopics = riderTopics
    self.presentation = presentation
  }
}
