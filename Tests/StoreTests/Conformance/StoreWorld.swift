import Domain
import Service
import Simulation
import Store
import TestFixtures
import Testing

typealias AnyStore = DeliveryStore & DispatchStore & RegistryStore

/// The implementations that the conformance tests hold to the same rules.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, postgres

  var testDescription: String { rawValue }
}

/// A fresh store with a clock by hand, and short words for what tests do to it.
struct StoreWorld: Sendable {
  let store: any AnyStore
  let clock: ManualClock

  /// Runs `body` with a fresh store of this kind.
  static func run(_ kind: StoreKind, _ body: (StoreWorld) async throws -> Void) async throws {
    let clock = ManualClock()
    switch kind {
    case .memory: try await body(StoreWorld(store: MemoryStore(clock: clock), clock: clock))
    case .postgres:
      try await TestFixtures.withDatabase { url in
        let store = PostgresStore(url: url, consumerGroup: "doorstep")
        let result = await Result(catching: { try await body(StoreWorld(store: store, clock: clock)) })
        await store.close()
        try result.get()
      }
    }
  }

  var now: Instant { clock.now() }

  // MARK: ingest

  /// Writes an order in this stage as ingest would, over whatever row there is.
  @discardableResult
  func place(
    _ order: String = "o1", user: String? = "u1", placedBy: String? = nil, rider: String? = nil,
    stage: Stage = .placed, life: Int32 = 0
  ) async throws -> OrderRow {
    let id = OrderID(order)
    let held = try await store.load(orders: [id], riders: []).orders[id]
    var row = held?.value ?? OrderRow(delivery: Delivery(id: id))
    let sequence = (row.delivery.snapshot?.sequence ?? now.milliseconds) + 1
    var event = OrderEvent(
      order: id, what: .stage(stage),
      stamp: Stamp(space: SequenceSpace(name: "orders", rank: 0), sequence: sequence, time: now),
      eventID: "e\(sequence)")
    event.changes.user = user.map { UserID($0) }
    event.changes.placedBy = placedBy.map { InstallationID($0) }
    event.changes.rider = rider.map { RiderInfo(id: RiderID($0)) }
    _ = Tracker.apply(event, to: &row.delivery, now: now)
    row.delivery.snapshot = Self.snapshot(sequence: sequence, stage: stage, life: life, at: now)
    row.causeFreshUntil = now.advanced(by: 600)
    var commit = IngestCommit(now: now)
    commit.orders = [Versioned(row, version: held?.version ?? 0)]
    let outcome = try await store.commit(commit)
    guard outcome == .committed else { throw Unexpected("\(outcome)") }
    return row
  }

  static func snapshot(sequence: Int64, stage: Stage, life: Int32 = 0, at now: Instant) -> Snapshot {
    Snapshot(
      sequence: sequence, life: life, stage: stage, stageStarted: now, computed: now, riderPhase: .none, progress: 0,
      placed: now)
  }

  func version(of order: String) async throws -> Int64 {
    try await store.load(orders: [OrderID(order)], riders: []).orders[OrderID(order)]?.version ?? 0
  }

  // MARK: registry

  @discardableResult
  func register(
    _ phone: String = "p1", user: String? = "u1", revision: Int64 = 1,
    _ change: (inout InstallationReport) -> Void = { _ in }
  ) async throws -> RegistrationOutcome {
    var report = InstallationReport(id: InstallationID(phone), revision: revision)
    report.bundleID = "com.example.food"
    report.environment = .production
    if let user { report.user = .set(UserID(user)) }
    change(&report)
    return try await store.register(report, credentialHash: nil, now: now)
  }

  @discardableResult
  func report(
    _ activity: String = "a1", order: String = "o1", phone: String = "p1", revision: Int64 = 1, token: PushToken? = nil,
    by starter: CardView.Starter = .app, _ state: ActivityReport.State = .active, cause: ActivityReport.Cause? = nil,
    displayed: Int64? = nil
  ) async throws -> ActivityOutcome {
    var report = ActivityReport(
      order: OrderID(order), activityID: activity, revision: revision, installation: InstallationID(phone),
      attributesType: "DeliveryAttributes", startedBy: starter, startedAt: now, state: state)
    report.updateToken = token
    report.cause = cause
    report.displayedSequence = displayed
    return try await store.report(report, now: now)
  }

  /// A token of 32 equal bytes.
  static func token(_ byte: UInt8) -> PushToken {
    guard let token = PushToken(bytes: [UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
    return token
  }

  // MARK: dispatch

  func phone(_ phone: String = "p1") async throws -> LoadedPhone {
    let loaded = try await store.phones(for: Wakes(phones: [InstallationID(phone)]), now: now)
    guard let found = loaded.first, loaded.count == 1 else { throw Unexpected("\(loaded.count) phones \(phone)") }
    return found
  }

  func order(_ order: String = "o1", on phone: String = "p1") async throws -> OrderView {
    let found = try await self.phone(phone).view.orders.first { $0.id.text == order }
    guard let found else { throw Unexpected("no order \(order) on \(phone)") }
    return found
  }

  func card(_ order: String = "o1", on phone: String = "p1") async throws -> CardView {
    guard let card = try await self.order(order, on: phone).cards.last else { throw Unexpected("no card of \(order)") }
    return card
  }

  func take(_ phone: String = "p1") async throws -> ShardLease {
    let leases = try await store.take(shards: [Shards.shard(of: InstallationID(phone))], owner: "test")
    guard let lease = leases.first else { throw Unexpected("no lease") }
    return lease
  }

  /// What the dispatcher would ask for after deciding on the rows as they are now.
  func request(
    _ event: PushPlan.Event, order: String = "o1", phone: String = "p1", lease: ShardLease, generation: Int32? = nil,
    ring: Stage? = nil, leaseSeconds: Double = 60
  ) async throws -> ReservationRequest {
    let loaded = try await self.phone(phone)
    let view = loaded.view.orders.first { $0.id.text == order }
    let newest = view?.cards.last?.generation ?? 0
    var plan = PushPlan(
      order: OrderID(order), generation: generation ?? (event == .start ? newest + 1 : newest), event: event,
      rule: "test", urgency: .eta, priority: 10, expiration: now.advanced(by: 600), ring: ring)
    if event == .start { plan.attributesType = "DeliveryAttributes" }
    return ReservationRequest(
      phone: InstallationID(phone), lease: lease, plan: plan, orderVersion: view?.version ?? 0, attempt: loaded.attempt,
      registration: loaded.registration,
      budget: loaded.view.budget.debited(
        by: plan, now: now, installation: loaded.view.installation, settings: PolicySettings()),
      desired: view?.desired, leaseSeconds: leaseSeconds)
  }

  @discardableResult
  func reserve(_ request: ReservationRequest) async throws -> Reservation? {
    try await store.reserve([request], now: now).first
  }

  @discardableResult
  func settle(_ request: ReservationRequest, _ result: Settlement.Result, attempt: Int64? = nil) async throws
    -> SettleCount
  {
    try await store.settle([
      Settlement(
        phone: request.phone, attempt: attempt ?? request.attempt + 1, plan: request.plan, desired: request.desired,
        result: result, at: now)
    ])
  }

  /// Reserves and settles one push; the card as it is afterwards.
  @discardableResult
  func push(
    _ event: PushPlan.Event, order: String = "o1", phone: String = "p1", lease: ShardLease, ring: Stage? = nil,
    _ result: Settlement.Result = .accepted
  ) async throws -> ReservationRequest {
    let request = try await self.request(event, order: order, phone: phone, lease: lease, ring: ring)
    guard try await reserve(request) != nil else { throw Unexpected("no reservation for \(event)") }
    try await settle(request, result)
    return request
  }
}

extension Result where Failure == any Error {
  init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
