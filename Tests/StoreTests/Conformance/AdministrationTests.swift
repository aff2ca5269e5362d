import Domain
import Service
import Testing

/// Log-outs and operators, over every implementation (docs/delivery-semantics.md 5.8).
@Suite struct AdministrationTests {
  /// One phone of one user with a running card.
  private func withCard(
    _ kind: StoreKind, _ body: (StoreWorld, any AdministrationStore) async throws -> Void
  ) async throws {
    try await StoreWorld.run(kind) { world in
      let administration = try #require(world.store as? any AdministrationStore)
      try await world.place()
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await body(world, administration)
    }
  }

  @Test(arguments: StoreKind.allCases) func aLogOutWithdrawsCardsAndKeepsTheirTokens(_ kind: StoreKind) async throws {
    try await withCard(kind) { (world, administration) async throws in
      #expect(try await administration.logOut(InstallationID("p1"), now: world.now))
      #expect(try await !administration.logOut(InstallationID("unknown"), now: world.now))
      let phone = try await world.phone("p1").view
      #expect(phone.installation.user == nil)
      #expect(phone.installation.startTokens.isEmpty && phone.installation.deviceToken == nil)
      #expect(phone.orders.first?.withdrawn == true)
      #expect(phone.orders.first?.cards.first?.updateToken == StoreWorld.token(1))
      #expect(try await world.store.owner(of: InstallationID("p1"))?.credentialHash == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func anErasedUserLosesPhonesAndPersonalData(_ kind: StoreKind) async throws {
    try await withCard(kind) { world, administration in
      let erased = try await administration.erase(UserID("u1"), now: world.now)
      #expect(erased == ErasedUser(phones: [InstallationID("p1")], orders: [OrderID("o1")]))
      #expect(try await administration.installations(of: UserID("u1"), now: world.now).isEmpty)
      let again = try await administration.erase(UserID("u1"), now: world.now)
      #expect(again.phones.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func installationsAndActivitiesAreListed(_ kind: StoreKind) async throws {
    try await withCard(kind) { world, administration in
      let summaries = try await administration.installations(of: UserID("u1"), now: world.now)
      #expect(summaries.map(\.installation.id) == [InstallationID("p1")])
      let activities = try await administration.activities(on: InstallationID("p1"))
      #expect(activities.map(\.order) == [OrderID("o1")])
      #expect(activities.first?.phase == .active)
      #expect(activities.first?.generation == 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func operatorsEndAndRepeatCards(_ kind: StoreKind) async throws {
    try await withCard(kind) { (world, administration) async throws in
      #expect(try await administration.forgetTold(of: OrderID("o1")) == [InstallationID("p1")])
      #expect(try await administration.endCards(of: OrderID("o1"), now: world.now) == [InstallationID("p1")])
      #expect(try await world.order().withdrawn)
      #expect(try await administration.forgetTold(of: OrderID("none")) == nil)
      #expect(try await administration.endCards(of: OrderID("none"), now: world.now) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func theRolloutIsKept(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let administration = try #require(world.store as? any AdministrationStore)
      #expect(try await administration.rollout() == nil)
      let rollouts = [
        Rollout(mode: .percent(7), allowList: [UserID("a b"), UserID("ü")], startsPaused: true, pausedApps: ["x.y"]),
        Rollout(mode: .off),
      ]
      for rollout in rollouts {
        try await administration.setRollout(rollout, now: world.now)
        #expect(try await administration.rollout() == rollout)
      }
      try await administration.audit(AuditEntry(at: world.now, actor: "k", action: "mode.set", subject: "off"))
    }
  }
}
