import Crypto
import Runtime
import Service
import Testing

@testable import APNs

@Suite struct ProviderTokenTests {
  private let held = ProviderToken(jwt: "a", issuedAt: 10_000)
  private let other = ProviderToken(jwt: "b", issuedAt: 9_000)

  private func mustMint(_ age: Int64, refreshAge: Int64 = 2700, rejected: ProviderToken? = nil) -> Bool {
    ProviderTokenRules.mustMint(
      held: held, nowSeconds: held.issuedAt + age, refreshAgeSeconds: refreshAge, rejected: rejected)
  }

  @Test func nothingHeldIsMinted() {
    #expect(ProviderTokenRules.mustMint(held: nil, nowSeconds: 0, refreshAgeSeconds: 2700, rejected: nil))
  }

  @Test func neverWithin20Minutes() {
    for age in Int64(-100_000)..<1200 { #expect(!mustMint(age, refreshAge: 0, rejected: held)) }
    #expect(!mustMint(.min))
  }

  @Test func whenDueOrRefused() {
    #expect(!mustMint(2699))
    #expect(mustMint(2700))
    #expect(!mustMint(1200))
    #expect(mustMint(1200, rejected: held))
    #expect(!mustMint(1200, rejected: other), "somebody else has replaced the refused one already")
  }

  @Test func replicasThatStartTogetherShareOneToken() async throws {
    let clock = Lock<Int64>(5000)
    let store = MemoryProviderTokenStore { clock.withLock { $0 } }
    let key = try ProviderKey(teamID: "T", keyID: "K", signingKey: .generate())
    let mints = Lock(0)
    let ask: @Sendable () async throws -> String = {
      try await store.token(for: key.id, refreshAgeSeconds: 2700, rejected: nil) { now in
        mints.withLock { $0 += 1 }
        return try key.mint(nowSeconds: now)
      }.token.jwt
    }
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<32 { group.addTask { try await ask() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(mints.withLock { $0 } == 1)
    clock.withLock { $0 = 5000 + 2700 }
    #expect(try await ask() != tokens.first)
    #expect(mints.withLock { $0 } == 2)
  }

  @Test func twoKeyFilesUnderOneKeyIDAreTwoKeys() throws {
    let first = try ProviderKey(teamID: "T", keyID: "K", signingKey: .generate())
    let second = try ProviderKey(teamID: "T", keyID: "K", signingKey: .generate())
    #expect(first.id != second.id)
  }

  @Test func nothingPrintsTheToken() {
    #expect(!"\(held)".contains("jwt") && !String(reflecting: held).contains("\"a\""))
    var dumped = ""
    dump(held, to: &dumped)
    #expect(!dumped.contains("\"a\""))
  }
}
