import Testing

@testable import APNsSimulator

/// The provider token's rules (docs/apns.md 2), on real time.
@Suite struct ProviderTokenTests {
  private func reason(_ bench: Bench, _ token: String) -> String? {
    bench.token = token
    let answer = bench.push("/3/device/abcd", "{}").answer
    return answer?.reason == "BadDeviceToken" ? nil : answer?.reason
  }

  @Test func ageIsHeldToAnHour() throws {
    let bench = try Bench()
    let start = bench.real.seconds
    bench.connection = ProviderConnection(environment: .production)
    #expect(try reason(bench, bench.signer.token(issuedAt: start - 3600)) == nil)
    let other = try Bench()
    #expect(try reason(other, other.signer.token(issuedAt: start - 3601)) == "ExpiredProviderToken")
    #expect(
      try reason(other, other.signer.token(issuedAt: start)) == "ExpiredProviderToken", "the connection keeps failing")
    other.connection = ProviderConnection(environment: .production)
    #expect(try reason(other, other.signer.token(issuedAt: start)) == nil)
  }

  @Test func theFutureIsHeldToFiveMinutes() throws {
    let bench = try Bench()
    #expect(try reason(bench, bench.signer.token(issuedAt: bench.real.seconds + 301)) == "InvalidProviderToken")
    #expect(try reason(bench, bench.signer.token(issuedAt: bench.real.seconds + 300)) == nil)
  }

  @Test func aKeyMayChangeItsTokenEveryTwentyMinutes() throws {
    let bench = try Bench()
    let first = try bench.signer.token(issuedAt: bench.real.seconds)
    let second = try bench.signer.token(issuedAt: bench.real.seconds + 1)
    #expect(reason(bench, first) == nil)
    bench.run(1199)
    #expect(reason(bench, second) == "TooManyProviderTokenUpdates")
    #expect(reason(bench, first) == nil, "the older token still serves")
    bench.run(1)
    #expect(reason(bench, second) == nil)
    #expect(reason(bench, first) == "TooManyProviderTokenUpdates")
  }

  @Test func forgeriesAreRefused() throws {
    let bench = try Bench()
    let now = bench.real.seconds
    #expect(try reason(bench, bench.signer.token(issuedAt: now, algorithm: "HS256")) == "InvalidProviderToken")
    #expect(try reason(bench, bench.signer.token(issuedAt: now, team: "OTHERTEAM0")) == "InvalidProviderToken")
    #expect(try reason(bench, bench.signer.token(issuedAt: now, der: true)) == "InvalidProviderToken")
    let stranger = try HandSigner(keyID: bench.signer.keyID)
    #expect(try reason(bench, stranger.token(issuedAt: now)) == "InvalidProviderToken")
    let unknown = try HandSigner(keyID: "UNKNOWNKEY")
    #expect(try reason(bench, unknown.token(issuedAt: now)) == "InvalidProviderToken")
  }

  @Test func aConnectionIsBoundToItsFirstKey() throws {
    let bench = try Bench()
    let now = bench.real.seconds
    let scopes: [(String, ProviderKey.Scope)] = [
      ("TEAMKEY001", .team(.production)), ("SANDBOXKEY", .team(.sandbox)),
      ("TOPICKEY01", .topics(["com.example.delivery"], .production, relation: "a")),
      ("TOPICKEY02", .topics(["com.example.delivery"], .production, relation: "a")),
      ("TOPICKEY03", .topics(["com.example.delivery"], .production, relation: "b")),
      ("TOPICKEY04", .topics(["com.example.other"], .production, relation: "a")),
    ]
    var tokens: [String: String] = [:]
    for (id, scope) in scopes {
      let signer = try HandSigner(keyID: id)
      bench.world.accept(signer.key(scope))
      tokens[id] = try signer.token(issuedAt: now)
    }
    func after(_ first: String, _ second: String) throws -> String? {
      bench.connection = ProviderConnection(environment: .production)
      _ = reason(bench, try #require(tokens[first]))
      return reason(bench, try #require(tokens[second]))
    }
    #expect(try after("TEAMKEY001", "SANDBOXKEY") == "BadEnvironmentKeyIdInToken")
    #expect(try after("TEAMKEY001", "TOPICKEY01") == "UnrelatedKeyIdInToken")
    #expect(try after("TOPICKEY01", "TEAMKEY001") == "UnrelatedKeyIdInToken")
    #expect(try after("TOPICKEY01", "TOPICKEY02") == nil)
    #expect(try after("TOPICKEY01", "TOPICKEY03") == "UnrelatedKeyIdInToken")
    #expect(try after("TOPICKEY01", "TOPICKEY04") == "TopicDisallowed")
  }

  @Test func aRevokedKeyIsForbidden() throws {
    let bench = try Bench()
    var key = bench.signer.key()
    key.isRevoked = true
    bench.world.accept(key)
    #expect(reason(bench, bench.token) == "Forbidden")
  }
}
