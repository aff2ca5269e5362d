import Domain
import Service
import Testing

/// The rules of orders, riders and offsets, over every implementation (docs/delivery-semantics.md 1.6 to 1.9).
@Suite struct DeliveryStoreTests {
  @Test(arguments: StoreKind.allCases) func readsBackWhatWasWritten(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place("o1", user: "u1", placedBy: "p1", rider: "r1", stage: .preparing)
      let loaded = try await world.store.load(orders: [OrderID("o1"), OrderID("none")], riders: [])
      #expect(loaded.orders == [OrderID("o1"): Versioned(row, version: 1)])
      #expect(loaded.tombstones.isEmpty)
      let held = try await world.store.snapshot(of: OrderID("o1"))
      #expect(held?.user == UserID("u1"))
      #expect(held?.snapshot == row.delivery.snapshot)
      #expect(try await world.store.snapshot(of: OrderID("none")) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func writesOnlyOverTheVersionThatWasRead(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place()
      try await world.place()
      var late = IngestCommit(now: world.now)
      late.orders = [
        Versioned(row, version: 1), Versioned(OrderRow(delivery: Delivery(id: OrderID("o2"))), version: 0),
      ]
      late.nextOffsets = [TopicPartition(topic: "t", partition: 0): 7]
      let outcome = try await world.store.commit(late)
      #expect(outcome == .conflict(orders: [OrderID("o1")], riders: []))
      #expect(try await world.version(of: "o2") == 0)
      #expect(try await world.store.nextOffsets().isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func twoInsertsOfOneOrderAreAConflict(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place()
      var second = IngestCommit(now: world.now)
      second.orders = [Versioned(row, version: 0)]
      #expect(try await world.store.commit(second) == .conflict(orders: [OrderID("o1")], riders: []))
    }
  }

  @Test(arguments: StoreKind.allCases) func ridersAreGuardedByVersion(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      var commit = IngestCommit(now: world.now)
      commit.riders = [Versioned(RiderState(id: RiderID("r1")), version: 0)]
      #expect(try await world.store.commit(commit) == .committed)
      #expect(try await world.store.commit(commit) == .conflict(orders: [], riders: [RiderID("r1")]))
      commit.riders[0].version = 1
      commit.riders[0].value.isOnline = false
      #expect(try await world.store.commit(commit) == .committed)
      let riders = try await world.store.load(orders: [], riders: [RiderID("r1")]).riders
      #expect(riders[RiderID("r1")]?.version == 2)
      #expect(riders[RiderID("r1")]?.value.isOnline == false)
    }
  }

  @Test(arguments: StoreKind.allCases) func loadsWhatARiderCarries(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place("running", rider: "r1", stage: .delivering)
      try await world.place("other", rider: "r2", stage: .delivering)
      try await world.place("done", rider: "r1", stage: .delivered)
      let loaded = try await world.store.load(orders: [], riders: [RiderID("r1")])
      #expect(loaded.carried == [RiderID("r1"): [OrderID("running")]])
      #expect(loaded.orders.keys.sorted() == [OrderID("running")])
    }
  }

  @Test(arguments: StoreKind.allCases) func loadsTheRiderOfAnOrder(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      var commit = IngestCommit(now: world.now)
      commit.riders = [Versioned(RiderState(id: RiderID("r1")), version: 0)]
      _ = try await world.store.commit(commit)
      try await world.place("o1", rider: "r1", stage: .delivering)
      #expect(try await world.store.load(orders: [OrderID("o1")], riders: []).riders[RiderID("r1")] != nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func aRiderCarriesAtMostFifty(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      for number in 100..<151 { try await world.place("o\(number)", rider: "r1", stage: .delivering) }
      let carried = try await world.store.load(orders: [], riders: [RiderID("r1")]).carried[RiderID("r1")]
      #expect(carried == (100..<150).map { OrderID("o\($0)") })
    }
  }

  @Test(arguments: StoreKind.allCases) func offsetsComeWithTheirData(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let place = TopicPartition(topic: "delivery.orders", partition: 3)
      for next in [5, 9] as [Int64] {
        var commit = IngestCommit(now: world.now)
        commit.nextOffsets = [place: next, TopicPartition(topic: "delivery.riders", partition: 0): 1]
        let outcome = try await world.store.commit(commit)
        #expect(outcome == .committed)
      }
      let held = try await world.store.nextOffsets()
      #expect(held[place] == 9)
      #expect(held.count == 2)
    }
  }

  @Test(arguments: StoreKind.allCases) func refreshTimesArePagedInIDOrder(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      for id in ["b", "a", "c"] {
        var row = try await world.place(id)
        row.delivery.refreshAt = world.now.advanced(by: 30)
        var commit = IngestCommit(now: world.now)
        commit.orders = [Versioned(row, version: 1)]
        _ = try await world.store.commit(commit)
      }
      try await world.place("d", stage: .delivered)
      let first = try await world.store.refreshTimes(after: nil, limit: 2)
      #expect(first.map(\.0) == [OrderID("a"), OrderID("b")])
      #expect(first.map(\.1) == [world.now.advanced(by: 30), world.now.advanced(by: 30)])
      let rest = try await world.store.refreshTimes(after: OrderID("b"), limit: 2)
      #expect(rest.map(\.0) == [OrderID("c")])
    }
  }
}
