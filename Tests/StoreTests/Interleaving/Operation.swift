import Domain
import Service
import Store

/// One thing that happens to the store, as its use case does it: repeated where it lost a race that calls for that.
struct Operation: Sendable, CustomStringConvertible {
  let name: String
  let run: @Sendable (PostgresStore, Scene) async throws -> String

  var description: String { name }

  static let all = [
    ingest, position, firstEvent, register, report, newCard, reserve, reserveStart, settle, tokenDead, intent, logOut,
    erase,
  ]

  private static let ingest = Operation(name: "ingest") { store, scene in
    try await scene.commit(store, order: scene.carded, stage: .preparing)
  }
  private static let position = Operation(name: "position") { store, scene in
    try await scene.commit(store, order: scene.carded, stage: nil, rider: scene.rider)
  }
  private static let firstEvent = Operation(name: "first event") { store, scene in
    try await scene.commit(store, order: scene.unknown, stage: .placed)
  }
  private static let register = Operation(name: "register") { store, scene in
    var report = InstallationReport(id: scene.phone, revision: 2)
    report.deviceToken = .set(scene.token(2))
    report.startTokens = ["DeliveryAttributes": scene.token(4)]
    return "\(try await store.register(report, credentialHash: nil, now: scene.now))"
  }
  private static let report = Operation(name: "report") { store, scene in
    try await scene.report(store, order: scene.carded, activity: "a1", revision: 2, token: scene.token(6))
  }
  private static let newCard = Operation(name: "new card") { store, scene in
    try await scene.report(store, order: scene.unknown, activity: "a2", revision: 1, token: scene.token(7))
  }
  private static let reserve = Operation(name: "reserve") { store, scene in
    "\(try await store.reserve([scene.update], now: scene.now).count)"
  }
  private static let reserveStart = Operation(name: "reserve start") { store, scene in
    "\(try await store.reserve([scene.start], now: scene.now).count)"
  }
  private static let settle = Operation(name: "settle") { store, scene in
    "\(try await store.settle([scene.settlement(.accepted)]))"
  }
  private static let tokenDead = Operation(name: "token dead") { store, scene in
    let verdict = Settlement.Result.tokenDead(token: scene.token(5), since: nil, reason: "Unregistered")
    return "\(try await store.settle([scene.settlement(verdict)]))"
  }
  private static let logOut = Operation(name: "log out") { store, scene in
    "\(try await store.logOut(scene.phone, now: scene.now))"
  }
  private static let erase = Operation(name: "erase") { store, scene in
    "\(try await store.erase(scene.user, now: scene.now).phones.count)"
  }
  private static let intent = Operation(name: "intent") { store, scene in
    let until = scene.now.advanced(by: 20)
    let isClaimed = try await store.claimStartIntent(
      order: scene.cardless, installation: scene.phone, until: until, now: scene.now)
    return "\(isClaimed)"
  }
}
