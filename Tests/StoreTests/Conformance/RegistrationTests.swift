import Domain
import Service
import Testing

/// Installations and their tokens, over every implementation (docs/delivery-semantics.md 1.8, 5.4).
@Suite struct RegistrationTests {
  @Test(arguments: StoreKind.allCases) func keepsSetsAndClears(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register {
        $0.osVersion = .set(OSVersion(major: 18, minor: 1))
        $0.appVersion = .set("7.4")
        $0.locale = .set("de-DE")
        $0.activitiesEnabled = true
        $0.frequentPushesEnabled = true
        $0.notifications = .authorized
        $0.deviceToken = .set(StoreWorld.token(1))
        $0.startTokens = ["A": StoreWorld.token(2), "B": StoreWorld.token(3)]
      }
      try await world.register(user: nil, revision: 2) {
        ($0.bundleID, $0.environment) = (nil, nil)
        $0.locale = .clear
        $0.activitiesEnabled = false
        $0.startTokens = ["A": nil, "C": StoreWorld.token(4)]
      }
      let held = try await world.phone().view.installation
      #expect(held.user == UserID("u1"))
      #expect(held.bundleID == "com.example.food")
      #expect(held.environment == .production)
      #expect(held.osVersion == OSVersion(major: 18, minor: 1))
      #expect(held.appVersion == "7.4")
      #expect(held.locale == nil)
      #expect(!held.activitiesEnabled)
      #expect(held.frequentPushesEnabled)
      #expect(held.notifications == .authorized)
      #expect(held.deviceToken == StoreWorld.token(1))
      #expect(held.startTokens == ["B": StoreWorld.token(3), "C": StoreWorld.token(4)])
      try await world.register(revision: 3) { $0.deviceToken = .clear }
      #expect(try await world.phone().view.installation.deviceToken == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func anOlderRevisionChangesNothing(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register(revision: 5) { $0.deviceToken = .set(StoreWorld.token(1)) }
      #expect(try await world.register(revision: 4) { $0.deviceToken = .set(StoreWorld.token(2)) } == .outdated)
      #expect(try await world.phone().view.installation.deviceToken == StoreWorld.token(1))
      #expect(try await world.register(revision: 5) == .registered)
    }
  }

  @Test(arguments: StoreKind.allCases) func theFirstRegistrationMustBeComplete(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { (world) async throws -> Void in
      #expect(try await world.register { $0.bundleID = nil } == .incomplete("bundleId"))
      #expect(try await world.register { $0.environment = nil } == .incomplete("environment"))
      #expect(try await world.store.owner(of: InstallationID("p1")) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func aUserHasAtMostTwentyInstallations(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { (world) async throws -> Void in
      for number in 1...20 { #expect(try await world.register("p\(number)") == .registered) }
      #expect(try await world.register("p21") == .tooMany)
      #expect(try await world.register("p20", revision: 2) == .registered)
      #expect(try await world.register("p21", user: "u2") == .registered)
      #expect(try await world.register("p21", user: "u1", revision: 2) == .tooMany)
    }
  }

  @Test(arguments: StoreKind.allCases) func credentialsStayUntilReplaced(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
      var report = InstallationReport(id: InstallationID("p1"), revision: 1)
      (report.bundleID, report.environment) = ("com.example.food", .sandbox)
      _ = try await world.store.register(report, credentialHash: first, now: world.now)
      report.revision = 2
      report.user = .set(UserID("u1"))
      _ = try await world.store.register(report, credentialHash: nil, now: world.now)
      let owner = InstallationOwner(user: UserID("u1"), credentialHash: first)
      #expect(try await world.store.owner(of: InstallationID("p1")) == owner)
      report.revision = 3
      _ = try await world.store.register(report, credentialHash: second, now: world.now)
      #expect(try await world.store.owner(of: InstallationID("p1"))?.credentialHash == second)
    }
  }

  enum Move: CaseIterable { case environment, bundle, user }

  @Test(arguments: StoreKind.allCases, Move.allCases)
  func aMoveDropsTheTokensThatAreNotInTheBody(_ kind: StoreKind, _ move: Move) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register {
        $0.deviceToken = .set(StoreWorld.token(1))
        $0.startTokens = ["A": StoreWorld.token(2)]
      }
      try await world.register(user: move == .user ? "u2" : "u1", revision: 2) {
        if move == .environment { $0.environment = .sandbox }
        if move == .bundle { $0.bundleID = "com.example.other" }
        $0.startTokens = ["B": StoreWorld.token(3)]
      }
      let held = try await world.phone().view.installation
      #expect(held.deviceToken == nil)
      #expect(held.startTokens == ["B": StoreWorld.token(3)])
    }
  }

  @Test(arguments: StoreKind.allCases) func aTokenMovesToItsNewestRegistration(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register("p1") {
        $0.deviceToken = .set(StoreWorld.token(1))
        $0.startTokens = ["A": StoreWorld.token(2)]
      }
      try await world.register("p2", user: "u2") {
        $0.deviceToken = .set(StoreWorld.token(1))
        $0.startTokens = ["A": StoreWorld.token(2)]
      }
      let (old, new) = (try await world.phone("p1"), try await world.phone("p2"))
      #expect(old.view.installation.deviceToken == nil)
      #expect(old.view.installation.startTokens.isEmpty)
      #expect(new.view.installation.deviceToken == StoreWorld.token(1))
      #expect(new.view.installation.startTokens == ["A": StoreWorld.token(2)])
    }
  }

  @Test(arguments: StoreKind.allCases) func aPhoneThatChangesHandsLosesItsOrders(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await world.register(user: "u2", revision: 2)
      let order = try await world.order()
      #expect(order.withdrawn)
      #expect(order.cards.first?.updateToken == StoreWorld.token(1))
    }
  }
}
