/// A signing key of a team at APNs. The fingerprint tells apart two key files that claim one key id.
public struct ProviderKeyID: Hashable, Sendable {
  public var teamID: String
  public var keyID: String
  /// Hexadecimal start of the SHA-256 of the public key.
  public var fingerprint: String

  public init(teamID: String, keyID: String, fingerprint: String) {
    self.teamID = teamID
    self.keyID = keyID
    self.fingerprint = fingerprint
  }
}

/// A provider token as its store holds it. `jwt` is a secret: it prints masked.
public struct ProviderToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  public var jwt: String
  /// The store's clock when it was minted, Unix seconds: the token's own `iat`.
  public var issuedAt: Int64

  public init(jwt: String, issuedAt: Int64) {
    self.jwt = jwt
    self.issuedAt = issuedAt
  }

  public var description: String { "ProviderToken(issuedAt: \(issuedAt))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// When a provider token is minted anew (docs/apns.md): APNs refuses both tokens over an hour old and new ones within
/// 20 minutes. Every store applies these rules to its own clock, inside its own lock.
public enum ProviderTokenRules {
  public static let ageMinSeconds: Int64 = 20 * 60
  public static let refreshAgeMinSeconds: Int64 = 45 * 60
  public static let refreshAgeMaxSeconds: Int64 = 50 * 60

  /// - Parameters:
  ///   - held: the newest token minted for the key by anybody.
  ///   - nowSeconds: the store's clock.
  ///   - refreshAgeSeconds: the asker's own refresh age, spread so that replicas do not ask together.
  ///   - rejected: a token that APNs called expired.
  public static func mustMint(
    held: ProviderToken?, nowSeconds: Int64, refreshAgeSeconds: Int64, rejected: ProviderToken?
  ) -> Bool {
    guard let held else { return true }
    let (age, overflow) = nowSeconds.subtractingReportingOverflow(held.issuedAt)
    guard !overflow, age >= ageMinSeconds else { return false }
    return age >= refreshAgeSeconds || held == rejected
  }
}

/// Keeps one provider token a key for all replicas: minted once, shared by everybody.
public protocol ProviderTokenStore: Sendable {
  /// The token to use now. Calls `mint` with the store's clock, at most once, where `ProviderTokenRules` say so; of
  /// several replicas that ask together one mints and all get the same token.
  ///
  /// - Returns: the token and its age by the store's clock.
  func token(
    for key: ProviderKeyID, refreshAgeSeconds: Int64, rejected: ProviderToken?,
    mint: @Sendable (_ nowSeconds: Int64) throws -> String
  ) async throws -> (token: ProviderToken, ageSeconds: Int64)
}
