import Domain
import Service
import Testing

/// What becomes of reserved pushes, over every implementation (docs/delivery-semantics.md 3.1, 4.2 to 4.4, 5.1, 5.3).
@Suite struct SettleTests {
  /// A phone with a registered card of one running order.
  private static func withCard(_ kind: StoreKind, _ body: (StoreWorld, ShardLease) async throws -> Void) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place(stage: .preparing)
      try await world.register()
      try await world.report(token: StoreWorld.token(1))
      try await body(world, try await world.take())
    }
  }

  @Test(arguments: StoreKind.allCases) func acceptedContentIsTold(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let request = try await world.push(.update, lease: lease)
      let card = try await world.card()
      #expect(card.told?.sequence == request.desired?.sequence)
      #expect(card.told?.stage == .preparing)
      #expect(card.told?.at == world.now)
      #expect(card.known == nil)
      #expect(try await world.phone().reservedForSeconds == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func anOutdatedAttemptChangesNothing(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let request = try await world.request(.update, lease: lease)
      try await world.reserve(request)
      let count = try await world.settle(request, .accepted, attempt: request.attempt)
      #expect(count == SettleCount(settled: 0, outdated: 1))
      #expect(try await world.card().told == nil)
      #expect(try await world.settle(request, .accepted) == SettleCount(settled: 1, outdated: 0))
      #expect(try await world.settle(request, .accepted) == SettleCount(settled: 0, outdated: 1))
    }
  }

  @Test(arguments: StoreKind.allCases) func failedContentIsNotToldAndItsRingStays(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      try await world.push(.update, lease: lease, ring: .preparing, .failed)
      #expect(try await world.card().told == nil)
      #expect(try await world.order().rung == [.preparing])
    }
  }

  @Test(arguments: StoreKind.allCases) func releasedContentGivesItsRingBack(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      try await world.push(.update, lease: lease, ring: .preparing, .released)
      #expect(try await world.card().told == nil)
      #expect(try await world.order().rung.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aReleasedStartNeverWas(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let lease = try await world.take()
      try await world.push(.start, lease: lease, ring: .placed, .released)
      #expect(try await world.order().cards.isEmpty)
      #expect(try await world.order().rung.isEmpty)
      #expect(try await world.phone().view.budget.starts.isEmpty)
      try await world.push(.start, lease: lease)
      #expect(try await world.card().phase == .unconfirmed)
    }
  }

  @Test(arguments: StoreKind.allCases, [Settlement.Result.accepted, .startInDoubt])
  func aStartIsUnconfirmedUntilTheAppReports(_ kind: StoreKind, _ result: Settlement.Result) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      try await world.push(.start, lease: try await world.take(), result)
      #expect(try await world.card().phase == .unconfirmed)
      #expect(try await world.card().told != nil)
      #expect(try await world.phone().view.installation.unconfirmedStartsInRow == 1)
      try await world.report(token: StoreWorld.token(1), by: .push)
      #expect(try await world.card().phase == .active)
      #expect(try await world.card().updateToken == StoreWorld.token(1))
      #expect(try await world.phone().view.installation.unconfirmedStartsInRow == 0)
      #expect(try await world.phone().view.installation.pushToStartProven)
    }
  }

  /// The answer of a start that comes after the app's registration leaves the registered token alone.
  @Test(arguments: StoreKind.allCases) func aLateAnswerKeepsTheTokenThatCameFirst(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register()
      let request = try await world.request(.start, lease: try await world.take())
      try await world.reserve(request)
      try await world.report(token: StoreWorld.token(1), by: .push)
      try await world.settle(request, .accepted)
      let card = try await world.card()
      #expect(card.phase == .active)
      #expect(card.updateToken == StoreWorld.token(1))
      #expect(card.told?.sequence == request.desired?.sequence)
    }
  }

  @Test(arguments: StoreKind.allCases) func threeUnconfirmedStartsInARowProveNothing(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.register()
      let lease = try await world.take()
      try await world.place("o0")
      try await world.push(.start, order: "o0", lease: lease)
      try await world.report(order: "o0", token: StoreWorld.token(9), by: .push)
      #expect(try await world.phone().view.installation.pushToStartProven)
      for number in 1...3 {
        try await world.place("o\(number)")
        try await world.push(.start, order: "o\(number)", lease: lease)
        #expect(try await world.phone().view.installation.pushToStartProven == (number < 3))
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func anAcceptedEndIsCountedUntilKnown(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      try await world.place(stage: .delivered)
      try await world.push(.end(repeated: false), lease: lease)
      var card = try await world.card()
      #expect(card.phase == .ending)
      #expect(card.endsTold == 1)
      #expect(card.endToldAt == world.now)
      world.clock.advance(by: 60)
      try await world.push(.end(repeated: true), lease: lease)
      card = try await world.card()
      #expect(card.endsTold == 2)
      #expect(card.endToldAt == world.now)
      try await world.report(revision: 2, .ended, cause: .system)
      #expect(try await world.phone().view.orders.first?.cards.first?.phase == .ended)
    }
  }

  @Test(arguments: StoreKind.allCases) func aRefusedContentIsRemembered(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let request = try await world.push(.update, lease: lease, .refused)
      #expect(try await world.card().refusedSequence == request.desired?.sequence)
      #expect(try await world.card().told == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func aDeadTokenInMidOrderIsADismissal(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let verdict = Settlement.Result.tokenDead(token: StoreWorld.token(1), since: nil, reason: "Unregistered")
      try await world.push(.update, lease: lease, ring: .preparing, verdict)
      let order = try await world.order()
      #expect(order.cards.map(\.phase) == [.ended])
      #expect(order.suppressed)
      #expect(order.rung.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aVerdictOnTheOldTokenSparesTheNewOne(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let request = try await world.request(.update, lease: lease)
      try await world.reserve(request)
      try await world.report(revision: 2, token: StoreWorld.token(2))
      try await world.settle(request, .tokenDead(token: StoreWorld.token(1), since: nil, reason: "Unregistered"))
      let order = try await world.order()
      #expect(order.cards.map(\.phase) == [.active])
      #expect(order.cards.first?.updateToken == StoreWorld.token(2))
      #expect(!order.suppressed)
    }
  }

  @Test(arguments: StoreKind.allCases) func aTokenRegisteredAfterItsVerdictLives(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let before = world.now.advanced(by: -3_600)
      let verdict = Settlement.Result.tokenDead(token: StoreWorld.token(1), since: before, reason: "Unregistered")
      try await world.push(.update, lease: lease, verdict)
      #expect(try await world.card().phase == .active)
      #expect(try await world.card().updateToken == StoreWorld.token(1))
    }
  }

  @Test(arguments: StoreKind.allCases) func aDeadStartTokenReleasesTheStart(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place()
      try await world.register { $0.startTokens = ["DeliveryAttributes": StoreWorld.token(3)] }
      let verdict = Settlement.Result.tokenDead(token: StoreWorld.token(3), since: nil, reason: "Unregistered")
      try await world.push(.start, lease: try await world.take(), verdict)
      #expect(try await world.order().cards.isEmpty)
      #expect(try await world.phone().view.installation.startTokens.isEmpty)
      #expect(try await world.phone().view.budget.starts.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aDeadDeviceTokenGoes(_ kind: StoreKind) async throws {
    try await StoreWorld.run(kind) { world in
      try await world.place(stage: .accepted)
      try await world.register { $0.deviceToken = .set(StoreWorld.token(4)) }
      let verdict = Settlement.Result.tokenDead(token: StoreWorld.token(4), since: nil, reason: "Unregistered")
      try await world.push(.alert, lease: try await world.take(), ring: .accepted, verdict)
      #expect(try await world.phone().view.installation.deviceToken == nil)
      #expect(try await world.order().rung.isEmpty)
    }
  }

  /// A push that was under way to the previous token may be lost: its acceptance does not count for the new one.
  @Test(arguments: StoreKind.allCases) func whatTheOldTokenAcceptedIsSaidAgainToTheNew(_ kind: StoreKind) async throws {
    try await Self.withCard(kind) { world, lease in
      let request = try await world.request(.update, lease: lease)
      try await world.reserve(request)
      try await world.report(revision: 2, token: StoreWorld.token(2))
      try await world.settle(request, .accepted)
      #expect(try await world.card().told == nil)
    }
  }
}
