import Domain
import Postgres
import Service

extension SQL {
  static let lockProviderKey = Statement(
    "lock_provider_key", "select pg_advisory_xact_lock(hashtextextended($1 || '/' || $2 || '/' || $3, 0))")

  static let readProviderToken = Statement(
    "read_provider_token",
    """
    select extract(epoch from clock_timestamp())::int8, t.token, t.issued_at
    from (select 1) as one left join provider_tokens t on team_id = $1 and key_id = $2 and fingerprint = $3
    """)

  static let writeProviderToken = Statement(
    "write_provider_token",
    """
    insert into provider_tokens (team_id, key_id, fingerprint, token, issued_at) values ($1, $2, $3, $4, $5)
    on conflict (team_id, key_id, fingerprint) do update set token = excluded.token, issued_at = excluded.issued_at
    """)
}

extension PostgresStore: ProviderTokenStore {
  public func token(
    for key: ProviderKeyID, refreshAgeSeconds: Int64, rejected: ProviderToken?,
    mint: @Sendable (_ nowSeconds: Int64) throws -> String
  ) async throws -> (token: ProviderToken, ageSeconds: Int64) {
    let name: [Parameter] = [.text(key.teamID), .text(key.keyID), .text(key.fingerprint)]
    let vault = vault
    return try await Self.guarding {
      try await registry[0].transaction { (scope: TransactionScope) in
        let answers = try scope.run([Call(SQL.lockProviderKey, name), Call(SQL.readProviderToken, name)])
        guard let rows = answers.last, let now = rows.int64(0, 0) else { throw StoreUnavailable("no clock came back") }
        let held = rows.bytes(0, 1).flatMap(vault.openSecret).map {
          ProviderToken(jwt: $0, issuedAt: rows.int64(0, 2) ?? 0)
        }
        if let held,
          !ProviderTokenRules.mustMint(
            held: held, nowSeconds: now, refreshAgeSeconds: refreshAgeSeconds, rejected: rejected)
        {
          return (held, now - held.issuedAt)
        }
        let minted = ProviderToken(jwt: try mint(now), issuedAt: now)
        let sealed = try vault.sealSecret(minted.jwt)
        _ = try scope.run(Call(SQL.writeProviderToken, name + [.bytes(sealed), .int64(now)]))
        return (minted, 0)
      }
    }
  }
}
