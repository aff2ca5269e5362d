import Domain
import Service

extension MemoryStore: DeliveryStore {
  public func load(orders asked: [OrderID], riders askedRiders: [RiderID]) async throws -> LoadedDeliveries {
    var loaded = LoadedDeliveries()
    var wanted = Set(asked)
    for rider in askedRiders {
      let carried = orders.filter { $1.facts.rider == rider && $1.facts.finishedAt == nil }.map(\.key)
      loaded.carried[rider] = Array(carried.sorted().prefix(Self.ordersPerRiderMax))
      wanted.formUnion(loaded.carried[rider] ?? [])
    }
    for id in wanted {
      if let entry = orders[id] { loaded.orders[id] = Versioned(entry.row, version: entry.version) }
      if tombstones.contains(id) { loaded.tombstones.insert(id) }
    }
    let assigned = loaded.orders.keys.compactMap { orders[$0]?.facts.rider }
    for id in Set(askedRiders).union(assigned) { loaded.riders[id] = riders[id] }
    return loaded
  }

  public func commit(_ commit: IngestCommit) async throws -> CommitOutcome {
    let lostOrders = commit.orders.filter { orders[$0.value.delivery.id]?.version ?? 0 != $0.version }
    let lostRiders = commit.riders.filter { riders[$0.value.id]?.version ?? 0 != $0.version }
    guard lostOrders.isEmpty && lostRiders.isEmpty else {
      return .conflict(orders: Set(lostOrders.map(\.value.delivery.id)), riders: Set(lostRiders.map(\.value.id)))
    }
    for write in commit.orders {
      let id = write.value.delivery.id
      let since = orders[id]?.knownSince ?? commit.now
      orders[id] = OrderEntry(row: write.value, version: write.version + 1, knownSince: since)
    }
    for write in commit.riders {
      riders[write.value.id] = Versioned(write.value, version: write.version + 1)
    }
    for (place, next) in commit.nextOffsets { offsets[place] = max(offsets[place] ?? 0, next) }
    return .committed
  }

  public func nextOffsets() async throws -> [TopicPartition: Int64] { offsets }

  public func refreshTimes(after last: OrderID?, limit: Int) async throws -> [(OrderID, Instant)] {
    let later = orders.filter { id, _ in last.map { $0 < id } ?? true }
    let timed = later.compactMap { id, entry in entry.row.delivery.refreshAt.map { (id, $0) } }
    return Array(timed.sorted { $0.0 < $1.0 }.prefix(limit))
  }
}
