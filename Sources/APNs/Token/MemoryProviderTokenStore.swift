import Runtime
import Service

/// Provider tokens of one process, for a single replica and for tests.
public final class MemoryProviderTokenStore: ProviderTokenStore {
  private let tokens = Lock<[ProviderKeyID: ProviderToken]>([:])
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: Unix seconds.
  public init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

  public func token(
    for key: ProviderKeyID, refreshAgeSeconds: Int64, rejected: ProviderToken?,
    mint: @Sendable (_ nowSeconds: Int64) throws -> String
  ) async throws -> (token: ProviderToken, ageSeconds: Int64) {
    let now = clock()
    return try tokens.withLock { tokens in
      let held = tokens[key]
      let mustMint = ProviderTokenRules.mustMint(
        held: held, nowSeconds: now, refreshAgeSeconds: refreshAgeSeconds, rejected: rejected)
      if let held, !mustMint { return (held, now - held.issuedAt) }
      let token = ProviderToken(jwt: try mint(now), issuedAt: now)
      tokens[key] = token
      return (token, 0)
    }
  }
}
