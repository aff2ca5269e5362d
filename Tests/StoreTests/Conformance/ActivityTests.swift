import Domain
import Service
import Testing

/// Cards as the apps report them, over every implementation (docs/delivery-semantics.md 1.6, 4.1, 5.1, 5.2).
@Suite struct ActivityTests {
  @Test(arguments: StoreKind.allCases) func anAppStartedCardIsActive(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place(stage: .accepted)
      try await world.register()
      #expect(try await world.report(token: StoreWorld.token(1)) == .registered(row.delivery.snapshot))
      let card = try await world.card()
      #expect(card.generation == 1)
      #expect(card.phase == .active)
      #expect(card.startedBy == .app)
      #expect(card.updateToken == StoreWorld.token(1))
    }
  }

  @Test(arguments: StoreKind.allCases) func unknownPhonesAndForeignOrdersChangeNothing(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      #expect(try await world.report(order: "new") == .unknownInstallation)
      #expect(try await world.version(of: "new") == 0)
      try await world.place("o1", user: "u1")
      try await world.register("p2", user: "u2")
      #expect(try await world.report(phone: "p2", token: StoreWorld.token(1)) == .forbidden)
      #expect(try await world.phone("p2").view.orders.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aCardMayComeBeforeItsOrder(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register()
      #expect(try await world.report(token: StoreWorld.token(1)) == .registered(nil))
      #expect(try await world.version(of: "o1") == 1)
      // Nobody has said yet whose order it is: its card must not be ended for that.
      #expect(try await !world.order().withdrawn)
      let row = try await world.place()
      let order = try await world.order()
      #expect(order.desired == row.delivery.snapshot)
      #expect(!order.withdrawn)
      #expect(order.cards.first?.updateToken == StoreWorld.token(1))
    }
  }

  @Test(arguments: StoreKind.allCases) func aCardOfAnotherUsersOrderIsWithdrawnWhenTheOrderComes(
    _ kind: StoreKind
  ) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register("p1", user: "u1")
      try await world.report(token: StoreWorld.token(1))
      try await world.place(user: "somebody else")
      #expect(try await world.order().withdrawn)
      let woken = try await world.store.phones(for: Wakes(orders: [OrderID("o1")]), now: world.now)
      #expect(woken.map(\.view.installation.id) == [InstallationID("p1")])
    }
  }

  @Test(arguments: StoreKind.allCases) func anOlderRevisionOfACardIsIgnored(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place()
      try await world.register()
      try await world.report(revision: 11, token: StoreWorld.token(11))
      #expect(try await world.report(revision: 10, token: StoreWorld.token(10)) == .outdated(row.delivery.snapshot))
      #expect(try await world.card().updateToken == StoreWorld.token(11))
    }
  }

  @Test(arguments: StoreKind.allCases) func aRotatedTokenGetsTheNewestContentAgain(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await world.push(.update, lease: try await world.take())
      try await world.report(revision: 2, token: StoreWorld.token(1))
      #expect(try await world.card().told != nil)
      try await world.report(revision: 3, token: StoreWorld.token(2))
      #expect(try await world.card().told == nil)
      #expect(try await world.card().updateToken == StoreWorld.token(2))
    }
  }

  @Test(arguments: StoreKind.allCases) func whatTheAppShowedIsKnown(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.report(displayed: 41)
      #expect(try await world.card().known == 41)
      #expect(try await world.card().knownAt == world.now)
      #expect(try await world.card().told == nil)
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [(ActivityReport.Cause.user, true), (.app, true), (.unknown, true), (.system, false), (.replaced, false)])
  func anEndSuppressesByItsCause(_ kind: StoreKind, _ ended: (ActivityReport.Cause, Bool)) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await world.report(revision: 2, .dismissed, cause: ended.0)
      #expect(try await world.card().phase == .ended)
      #expect(try await world.order().suppressed == ended.1)
      try await world.report("a2", revision: 3, token: StoreWorld.token(2))
      #expect(try await !world.order().suppressed)
      #expect(try await world.card().generation == 2)
      #expect(try await world.card().phase == .active)
    }
  }

  @Test(arguments: StoreKind.allCases) func anEndedCardStaysEnded(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await world.report(revision: 2, .ended, cause: .app)
      try await world.report(revision: 3, token: StoreWorld.token(2))
      #expect(try await world.card().phase == .ended)
    }
  }

  @Test(arguments: StoreKind.allCases) func anIntentWaitsForAClaimedStart(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let (order, phone) = (OrderID("o1"), InstallationID("p1"))
      let until = world.now.advanced(by: 20)
      #expect(try await !world.store.claimStartIntent(order: order, installation: phone, until: until, now: world.now))
      #expect(try await world.order().intentUntil == until)
      let later = until.advanced(by: 20)
      #expect(try await !world.store.claimStartIntent(order: order, installation: phone, until: later, now: world.now))
      #expect(try await world.order().intentUntil == until)
      try await world.reserve(try await world.request(.start, lease: try await world.take()))
      #expect(try await world.store.claimStartIntent(order: order, installation: phone, until: later, now: world.now))
    }
  }

  @Test(arguments: StoreKind.allCases) func anIntentMakesAStartThatWasChosenBeforeLose(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let start = try await world.request(.start, lease: try await world.take())
      let until = world.now.advanced(by: 20)
      _ = try await world.store.claimStartIntent(
        order: OrderID("o1"), installation: InstallationID("p1"), until: until, now: world.now)
      #expect(try await world.reserve(start) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func cardsOfOneOrderOnOnePhoneAreBounded(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let row = try await world.place()
      try await world.register()
      for number in 1...20 {
        #expect(try await world.report("a\(number)") == .registered(row.delivery.snapshot))
      }
      #expect(try await world.report("a21") == .tooMany)
    }
  }
}
