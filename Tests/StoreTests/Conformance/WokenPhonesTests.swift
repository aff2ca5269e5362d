import Domain
import Service
import Testing

/// Which phones an order is shown on, over every implementation.
@Suite struct WokenPhonesTests {
  @Test(arguments: StoreKind.allCases) func anOrderWakesItsUsersPhonesAndThePlacingOne(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register("mine 1", user: "u1")
      try await world.register("mine 2", user: "u1")
      try await world.register("guest", user: nil)
      try await world.register("other", user: "u2")
      try await world.place(user: "u1", placedBy: "guest")
      let woken = try await world.store.phones(for: Wakes(orders: [OrderID("o1")]), now: world.now)
      #expect(woken.map(\.view.installation.id.text).sorted() == ["guest", "mine 1", "mine 2"])
      let guest = woken.first { $0.view.installation.id.text == "guest" }
      #expect(guest?.view.orders.first?.placedByThisPhone == true)
      #expect(guest?.view.orders.first?.withdrawn == false)
    }
  }

  @Test(arguments: StoreKind.allCases) func unknownOrdersAndPhonesWakeNobody(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let wakes = Wakes(orders: [OrderID("none")], phones: [InstallationID("none")])
      let woken = try await world.store.phones(for: wakes, now: world.now)
      #expect(woken.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func liveAreThoseWithARunningOrderOrACard(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      for phone in ["a", "b", "c", "d"] { try await world.register(phone, user: "u-\(phone)") }
      try await world.place("o-a", user: "u-a")
      try await world.place("o-b", user: "u-b", stage: .delivered)
      try await world.place("o-c", user: "u-c")
      try await world.report(order: "o-c", phone: "c", token: StoreWorld.token(1))
      try await world.place("o-c", user: "u-c", stage: .delivered)
      world.clock.advance(by: 7_200)
      let all = try await world.store.livePhones(shards: Shards.all, after: nil, limit: 10)
      #expect(all.map(\.text) == ["a", "c"])
      #expect(try await world.store.livePhones(shards: Shards.all, after: nil, limit: 1).map(\.text) == ["a"])
      let rest = try await world.store.livePhones(shards: Shards.all, after: InstallationID("a"), limit: 9)
      #expect(rest.map(\.text) == ["c"])
      let others = Shards.all.filter { $0 != Shards.shard(of: InstallationID("a")) }
      #expect(try await !world.store.livePhones(shards: others, after: nil, limit: 9).map(\.text).contains("a"))
    }
  }

  @Test(arguments: StoreKind.allCases) func aFinishedOrderWithoutACardStaysAnHour(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register()
      try await world.place(stage: .delivered)
      world.clock.advance(by: 3_599)
      #expect(try await world.phone().view.orders.count == 1)
      world.clock.advance(by: 2)
      #expect(try await world.phone().view.orders.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func causesAreCarriedToThePush(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register()
      var row = try await world.place()
      row.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      row.causeRecordAt = world.now
      var commit = IngestCommit(now: world.now)
      commit.orders = [Versioned(row, version: 1)]
      _ = try await world.store.commit(commit)
      let phone = try await world.phone()
      let cause = LoadedPhone.Cause(traceparent: row.traceparent, recordAt: world.now)
      #expect(phone.causes == [OrderID("o1"): cause])
      #expect(phone.view.orders.first?.causeFreshUntil == row.causeFreshUntil)
      #expect(phone.view.orders.first?.version == 2)
    }
  }
}
