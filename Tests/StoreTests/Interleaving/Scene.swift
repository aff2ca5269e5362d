import Domain
import Postgres
import Service
import Store

/// One phone with orders of its own, so that every schedule plays on fresh rows of one database: an order with a card
/// and a lapsed reservation, an order without a card, and one that nobody has told of yet.
struct Scene: Sendable {
  let number: UInt64
  let now = Instant(seconds: 1_800_000_000)
  var update: ReservationRequest
  var start: ReservationRequest
  private var settled: ReservationRequest

  var phone: InstallationID { InstallationID("p\(number)") }
  var user: UserID { UserID("u\(number)") }
  var rider: RiderID { RiderID("r\(number)") }
  var carded: OrderID { OrderID("o\(number).carded") }
  var cardless: OrderID { OrderID("o\(number).cardless") }
  var unknown: OrderID { OrderID("o\(number).unknown") }

  init(number: UInt64, in store: PostgresStore) async throws {
    self.number = number
    let placeholder = ReservationRequest(
      phone: InstallationID(""), lease: ShardLease(shard: 0, epoch: 0),
      plan: PushPlan(
        order: OrderID(""), generation: 0, event: .update, rule: "", urgency: .eta, priority: 5, expiration: now),
      orderVersion: 0, attempt: 0, registration: 0, budget: PhoneBudget(), desired: nil, leaseSeconds: 0)
    (update, start, settled) = (placeholder, placeholder, placeholder)
    (update, start, settled) = try await prepared(store)
  }

  private func prepared(
    _ store: PostgresStore
  ) async throws -> (update: ReservationRequest, start: ReservationRequest, settled: ReservationRequest) {
    var installation = InstallationReport(id: phone, revision: 1)
    (installation.bundleID, installation.environment) = ("com.example.food", .production)
    installation.user = .set(user)
    installation.deviceToken = .set(token(1))
    installation.startTokens = ["DeliveryAttributes": token(3)]
    _ = try await store.register(installation, credentialHash: nil, now: now)
    for order in [carded, cardless] { _ = try await commit(store, order: order, stage: .accepted, rider: rider) }
    _ = try await report(store, order: carded, activity: "a1", revision: 1, token: token(5))
    guard let lease = try await store.take(shards: [Shards.shard(of: phone)], owner: "test").first else {
      throw Unexpected("no lease")
    }
    let first = try await request(store, .update, order: carded, generation: 1, lease: lease, leaseSeconds: 0)
    guard try await store.reserve([first], now: now).count == 1 else { throw Unexpected("no reservation") }
    return (
      try await request(store, .update, order: carded, generation: 1, lease: lease),
      try await request(store, .start, order: cardless, generation: 1, lease: lease), first
    )
  }

  private func request(
    _ store: PostgresStore, _ event: PushPlan.Event, order: OrderID, generation: Int32, lease: ShardLease,
    leaseSeconds: Double = 60
  ) async throws -> ReservationRequest {
    guard let loaded = try await store.phones(for: Wakes(phones: [phone]), now: now).first,
      let view = loaded.view.orders.first(where: { $0.id == order })
    else { throw Unexpected("\(order.text) is not on \(phone.text)") }
    var plan = PushPlan(
      order: order, generation: generation, event: event, rule: "test", urgency: .eta, priority: 10,
      expiration: now.advanced(by: 600), ring: event == .start ? .accepted : nil)
    if event == .start { plan.attributesType = "DeliveryAttributes" }
    return ReservationRequest(
      phone: phone, lease: lease, plan: plan, orderVersion: view.version, attempt: loaded.attempt,
      registration: loaded.registration, budget: loaded.view.budget, desired: view.desired, leaseSeconds: leaseSeconds)
  }

  func settlement(_ result: Settlement.Result) -> Settlement {
    Settlement(
      phone: phone, attempt: settled.attempt + 1, plan: settled.plan, desired: settled.desired, result: result, at: now)
  }

  /// As ingest does it: load, decide, commit, and again where somebody else was first. Without a stage only the
  /// estimate moves.
  func commit(
    _ store: PostgresStore, order: OrderID, stage: Stage?, rider: RiderID? = nil
  ) async throws -> String {
    for _ in 0..<5 {
      let loaded = try await store.load(orders: [order], riders: rider.map { [$0] } ?? [])
      let held = loaded.orders[order]
      var row = held?.value ?? OrderRow(delivery: Delivery(id: order))
      let sequence = (row.delivery.snapshot?.sequence ?? now.milliseconds) + 1
      if let stage {
        var event = OrderEvent(
          order: order, what: .stage(stage),
          stamp: Stamp(space: SequenceSpace(name: "orders", rank: 0), sequence: Int64(stage.rawValue) + 1, time: now),
          eventID: "e")
        event.changes.user = user
        _ = Tracker.apply(event, to: &row.delivery, now: now)
      }
      row.delivery.snapshot = StoreWorld.snapshot(sequence: sequence, stage: row.delivery.stage, at: now)
      var commit = IngestCommit(now: now)
      commit.orders = [Versioned(row, version: held?.version ?? 0)]
      if let rider {
        let state = loaded.riders[rider] ?? Versioned(RiderState(id: rider), version: 0)
        commit.riders = [state]
      }
      if try await store.commit(commit) == .committed { return "committed" }
    }
    return "gave up"
  }

  func report(
    _ store: PostgresStore, order: OrderID, activity: String, revision: Int64, token: PushToken
  ) async throws -> String {
    var report = ActivityReport(
      order: order, activityID: activity, revision: revision, installation: phone,
      attributesType: "DeliveryAttributes", startedBy: .app, startedAt: now, state: .active)
    report.updateToken = token
    switch try await store.report(report, now: now) {
    case .registered: return "registered"
    case .outdated: return "outdated"
    case let other: return "\(other)"
    }
  }

  func token(_ kind: UInt8) -> PushToken {
    let bytes = [kind] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    guard let token = PushToken(bytes: bytes) else { preconditionFailure("9 bytes") }
    return token
  }
}

extension Scene {
  /// All that the rows of this scene say, without what differs between two runs of the same story.
  func dump(_ connection: PostgresConnection) async throws -> String {
    let own = "'%' || '\(number)' || '%'"
    let queries = [
      """
      select 'phone', attempt, registration, reserved_until is null, starts, push_to_start_proven,
        unconfirmed_starts_in_row from phones where installation_id = '\(phone.text)'
      """,
      """
      select 'order', order_id, version, user_id, rider_id, convert_from(desired, 'UTF8') from orders
      where order_id like \(own)
      """,
      "select 'rider', version from riders where rider_id = '\(rider.text)'",
      """
      select 'card', order_id, generation, phase, started_by, activity_id, revision, attempt, told_sequence, told_stage,
        told_at, known_sequence, ends_told from cards where installation_id = '\(phone.text)'
      """,
      "select 'token', kind, scope, encode(token, 'hex') from tokens where installation_id = '\(phone.text)'",
      """
      select 'pair', order_id, suppressed, intent_until, rung_life, rung from order_phones
        where installation_id = '\(phone.text)'
      """,
    ]
    var lines: [String] = []
    for (index, query) in queries.enumerated() {
      let statement = Statement("dump_\(number)_\(index)", "select q::text from (\(query)) q order by 1")
      let rows = try await connection.run(Call(statement))
      lines += (0..<rows.count).compactMap { rows.text($0, 0) }
    }
    let digits = withUnsafeBytes(of: number.bigEndian) { Array($0) }.map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    return lines.joined(separator: "\n").replacing(digits, with: "#").replacing("\(number)", with: "#")
  }
}
