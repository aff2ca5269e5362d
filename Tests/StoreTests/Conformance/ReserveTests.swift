import Domain
import Service
import Testing

/// Reservations, over every implementation (docs/delivery-semantics.md 3.2 to 3.4, 4.2).
@Suite struct ReserveTests {
  @Test(arguments: StoreKind.allCases) func aStartHasItsCardBeforeItsPush(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let lease = try await world.take()
      let request = try await world.request(.start, lease: lease, ring: .placed)
      let reservation = try await world.reserve(request)
      #expect(reservation?.phone == InstallationID("p1"))
      #expect(reservation?.attempt == request.attempt + 1)
      let phone = try await world.phone()
      #expect(phone.attempt == request.attempt + 1)
      #expect(phone.reservedForSeconds.map { $0 > 0 && $0 <= 60 } == true)
      #expect(phone.view.budget.starts == [world.now])
      let order = try await world.order()
      #expect(order.rung == [.placed])
      #expect(order.cards.map(\.phase) == [.reserved])
      #expect(order.cards.first?.startedBy == .push)
      #expect(order.cards.first?.startedAt == world.now)
      #expect(order.cards.first?.attributesType == "DeliveryAttributes")
      #expect(order.cards.first?.attempt == phone.attempt)
      #expect(order.cards.first?.told == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func losesWhatWasChosenOnAnOlderOrder(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let request = try await world.request(.start, lease: try await world.take())
      try await world.place(stage: .accepted)
      #expect(try await world.reserve(request) == nil)
      #expect(try await world.order().cards.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func losesWhatWasChosenBeforeARegistration(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let request = try await world.request(.start, lease: try await world.take())
      #expect(try await world.report("own card", by: .app) != .forbidden)
      #expect(try await world.reserve(request) == nil)
      #expect(try await world.order().cards.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func aFormerOwnerReservesNothing(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let former = try await world.take()
      let current = try await world.take()
      #expect(current.epoch > former.epoch)
      #expect(try await world.reserve(world.request(.start, lease: former)) == nil)
      #expect(try await world.reserve(world.request(.start, lease: current)) != nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func onePushInFlightPerPhone(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place("o1")
      try await world.place("o2")
      try await world.register()
      let lease = try await world.take()
      let second = try await world.request(.start, order: "o2", lease: lease)
      #expect(try await world.reserve(world.request(.start, order: "o1", lease: lease)) != nil)
      #expect(try await world.reserve(second) == nil)
      #expect(try await world.reserve(world.request(.start, order: "o2", lease: lease)) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func aLapsedReservationGivesWay(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place("o1")
      try await world.place("o2")
      try await world.register()
      let lease = try await world.take()
      let first = try await world.request(.start, order: "o1", lease: lease, leaseSeconds: 0)
      #expect(try await world.reserve(first) != nil)
      #expect(try await world.phone().reservedForSeconds == nil)
      #expect(try await world.reserve(world.request(.start, order: "o2", lease: lease)) != nil)
      #expect(try await world.settle(first, .accepted) == SettleCount(settled: 0, outdated: 1))
      #expect(try await world.card("o1").phase == .reserved)
    }
  }

  @Test(arguments: StoreKind.allCases) func atMostOneStartPerGeneration(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let lease = try await world.take()
      try await world.push(.start, lease: lease)
      #expect(try await world.reserve(world.request(.start, lease: lease, generation: 1)) == nil)
      #expect(try await world.order().cards.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func timestampsOfACardOnlyRise(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let lease = try await world.take()
      var last: Int64 = 0
      for event in [.start, .update, .update, .end(repeated: false)] as [PushPlan.Event] {
        let request = try await world.request(event, lease: lease)
        let timestamp = try await world.reserve(request)?.apsTimestamp ?? 0
        #expect(timestamp > last)
        last = timestamp
        try await world.settle(request, .accepted)
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func aBatchReservesWhatHolds(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      var requests: [ReservationRequest] = []
      for number in 1...6 {
        try await world.place("o\(number)", user: "u\(number)")
        try await world.register("p\(number)", user: "u\(number)")
        let lease = try await world.take("p\(number)")
        requests.append(try await world.request(.start, order: "o\(number)", phone: "p\(number)", lease: lease))
      }
      for number in [2, 5] { try await world.place("o\(number)", user: "u\(number)", stage: .accepted) }
      let won = try await world.store.reserve(requests, now: world.now)
      #expect(Set(won.map(\.phone.text)) == ["p1", "p3", "p4", "p6"])
    }
  }

  @Test(arguments: StoreKind.allCases) func asksTheAppToReportOnce(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let lease = try await world.take()
      try await world.push(.start, lease: lease)
      world.clock.advance(by: 50)
      try await world.push(.wakeApp, lease: lease)
      #expect(try await world.card().wokenAt == world.now)
      #expect(try await world.card().phase == .unconfirmed)
    }
  }
}
