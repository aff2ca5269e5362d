import Codecs
import Domain
import Postgres
import Service

extension PostgresStore: DeliveryStore {
  static let ordersPerRiderMax = 50

  public func load(orders: [OrderID], riders: [RiderID]) async throws -> LoadedDeliveries {
    try await Self.guarding {
      let answers = try await ingest.run([
        Call(SQL.loadOrders, [.texts(orders.map(\.text)), .texts(riders.map(\.text))]),
        Call(SQL.loadRiders, [.texts(orders.map(\.text)), .texts(riders.map(\.text))]),
        Call(SQL.loadTombstones, [.byteStrings(orders.map { Self.hash($0) })]),
      ])
      return try Self.loaded(answers, asked: orders, riders: Set(riders))
    }
  }

  private static func loaded(_ answers: [Rows], asked: [OrderID], riders: Set<RiderID>) throws -> LoadedDeliveries {
    guard answers.count == 3 else { throw StoreUnavailable("an answer is missing") }
    var loaded = LoadedDeliveries()
    for row in 0..<answers[0].count {
      let order = try orderRow(answers[0], row)
      let id = order.delivery.id
      loaded.orders[id] = Versioned(order, version: answers[0].int64(row, 0) ?? 0)
      guard let rider = order.delivery.rider, riders.contains(rider), order.delivery.finishedAt == nil else { continue }
      guard loaded.carried[rider, default: []].count < ordersPerRiderMax else { continue }
      loaded.carried[rider, default: []].append(id)
    }
    for row in 0..<answers[1].count {
      guard let bytes = answers[1].bytes(row, 1) else { continue }
      let rider = try RiderRecord.decode(bytes)
      loaded.riders[rider.id] = Versioned(rider, version: answers[1].int64(row, 0) ?? 0)
    }
    let hashes = Set((0..<answers[2].count).compactMap { answers[2].bytes($0, 0) })
    if !hashes.isEmpty { loaded.tombstones = Set(asked.filter { hashes.contains(hash($0)) }) }
    return loaded
  }

  private static func orderRow(_ rows: Rows, _ row: Int) throws -> OrderRow {
    let delivery = try DeliveryRecord.decode(rows.bytes(row, 1) ?? [])
    return OrderRow(
      delivery: delivery, causeFreshUntil: Instant(column: rows.int64(row, 2)) ?? .distantPast,
      traceparent: rows.text(row, 3), causeRecordAt: Instant(column: rows.int64(row, 4)))
  }

  /// What a tombstone remembers of an order's id.
  static func hash(_ order: OrderID) -> [UInt8] { orderHash(order) }

  public func commit(_ commit: IngestCommit) async throws -> CommitOutcome {
    let orders = commit.orders.sorted { $0.value.delivery.id < $1.value.delivery.id }
    let riders = commit.riders.sorted { $0.value.id < $1.value.id }
    let writes = CommitWrites(
      orders: orders, riders: riders, offsets: commit.nextOffsets, group: consumerGroup, now: commit.now)
    return try await Self.guarding {
      try await ingest.transaction(writes.locking) { answers in
        let outcome = writes.outcome(of: answers)
        return (outcome == .committed ? writes.finishing : nil, outcome)
      }
    }
  }

  public func nextOffsets() async throws -> [TopicPartition: Int64] {
    try await Self.guarding {
      let rows = try await ingest.run(Call(SQL.nextOffsets, [.text(consumerGroup)]))
      var offsets: [TopicPartition: Int64] = [:]
      for row in 0..<rows.count {
        guard let topic = rows.text(row, 0), let partition = rows.int32(row, 1) else { continue }
        offsets[TopicPartition(topic: topic, partition: partition)] = rows.int64(row, 2)
      }
      return offsets
    }
  }

  public func refreshTimes(after last: OrderID?, limit: Int) async throws -> [(OrderID, Instant)] {
    try await Self.guarding {
      let rows = try await ingest.run(
        Call(SQL.refreshTimes, [.text(last?.text ?? ""), .int32(Int32(clamping: limit))]))
      return (0..<rows.count).compactMap { row in
        guard let id = rows.text(row, 0), let time = rows.int64(row, 1) else { return nil }
        return (OrderID(id), Instant(microseconds: time))
      }
    }
  }
}

/// The two halves of an ingest transaction: lock and check, then write. Locks are taken rider before order, ids sorted.
private struct CommitWrites: Sendable {
  let orders: [Versioned<OrderRow>]
  let riders: [Versioned<RiderState>]
  let offsets: [TopicPartition: Int64]
  let group: String
  let now: Instant

  var newRiders: [Versioned<RiderState>] { riders.filter { $0.version == 0 } }
  var newOrders: [Versioned<OrderRow>] { orders.filter { $0.version == 0 } }
  var oldRiders: [Versioned<RiderState>] { riders.filter { $0.version > 0 } }
  var oldOrders: [Versioned<OrderRow>] { orders.filter { $0.version > 0 } }

  var locking: [Call] {
    [
      Call(SQL.insertRiders, SQL.parameters(of: newRiders)),
      Call(SQL.lockRiders, [.texts(oldRiders.map(\.value.id.text))]),
      Call(SQL.insertOrders, SQL.parameters(of: newOrders) + [.int64(now.microseconds)]),
      Call(SQL.lockOrders, [.texts(oldOrders.map(\.value.delivery.id.text))]),
    ]
  }

  var finishing: [Call] {
    let places = offsets.sorted { ($0.key.topic, $0.key.partition) < ($1.key.topic, $1.key.partition) }
    return [
      Call(SQL.updateRiders, SQL.parameters(of: oldRiders)),
      Call(SQL.updateOrders, SQL.parameters(of: oldOrders)),
      Call(
        SQL.writeOffsets,
        [
          .text(group), .texts(places.map(\.key.topic)), .int32s(places.map(\.key.partition)),
          .int64s(places.map(\.value)),
        ]),
    ]
  }

  /// Committed where every insert made a row and every locked version is the one that was read.
  func outcome(of answers: [Rows]) -> CommitOutcome {
    guard answers.count == 4 else { return .conflict(orders: [], riders: []) }
    var lostRiders = Set(newRiders.map(\.value.id.text)).subtracting(Self.texts(answers[0]))
    lostRiders.formUnion(Self.moved(oldRiders.map { ($0.value.id.text, $0.version) }, answers[1]))
    var lostOrders = Set(newOrders.map(\.value.delivery.id.text)).subtracting(Self.texts(answers[2]))
    lostOrders.formUnion(Self.moved(oldOrders.map { ($0.value.delivery.id.text, $0.version) }, answers[3]))
    guard !lostRiders.isEmpty || !lostOrders.isEmpty else { return .committed }
    return .conflict(orders: Set(lostOrders.map { OrderID($0) }), riders: Set(lostRiders.map { RiderID($0) }))
  }

  private static func texts(_ rows: Rows) -> Set<String> { Set((0..<rows.count).compactMap { rows.text($0, 0) }) }

  private static func moved(_ read: [(id: String, version: Int64)], _ rows: Rows) -> [String] {
    var held: [String: Int64] = [:]
    for row in 0..<rows.count { if let id = rows.text(row, 0) { held[id] = rows.int64(row, 1) } }
    return read.filter { held[$0.id] != $0.version }.map(\.id)
  }
}
