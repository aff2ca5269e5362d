import Crypto
import Domain
import Runtime
import Service

/// Who calls.
enum Caller: Equatable, Sendable {
  case user(UserID)
  case installation(InstallationID)
  case service(id: String, scopes: Set<Scope>)
}

/// The keys that callers are checked with; replaced as a whole on reload.
public struct AuthenticationKeys: Sendable {
  public var serviceKeys: ServiceKeys
  /// nil: no user tokens are accepted.
  public var userTokens: JWTVerifier?

  public init(serviceKeys: ServiceKeys, userTokens: JWTVerifier? = nil) {
    self.serviceKeys = serviceKeys
    self.userTokens = userTokens
  }
}

/// Finds out who a bearer token belongs to.
final class Authenticator: Sendable {
  private let keys: Lock<AuthenticationKeys>
  private let verified = VerifiedTokens()
  private let registry: Registry
  private let clock: any Clock

  init(keys: AuthenticationKeys, registry: Registry, clock: any Clock) {
    self.keys = Lock(keys)
    self.registry = registry
    self.clock = clock
  }

  /// Tokens verified with former keys are forgotten.
  func reload(_ newKeys: AuthenticationKeys) {
    keys.withLock { $0 = newKeys }
    verified.removeAll()
  }

  /// - Throws: `Problem` 401, or what the store throws.
  func caller(authorization: String?) async throws -> Caller {
    guard let authorization, let token = Self.bearerToken(authorization) else { throw Problem.unauthenticated }
    if let credential = InstallationCredential(token) { return try await caller(with: credential) }
    let keys = keys.withLock { $0 }
    if let key = keys.serviceKeys.key(withSecret: token) { return .service(id: key.id, scopes: key.scopes) }
    guard let verifier = keys.userTokens else { throw Problem.unauthenticated }
    return .user(UserID(try user(of: token, by: verifier)))
  }

  /// Whether `credential` is the one that this installation holds.
  func holds(_ credential: InstallationCredential, _ owner: InstallationOwner?) -> Bool {
    guard let held = owner?.credentialHash else { return false }
    return constantTimeEqual(held, credential.hash)
  }

  private func caller(with credential: InstallationCredential) async throws -> Caller {
    let owner = try await registry.owner(of: credential.installation)
    guard holds(credential, owner) else {
      throw Problem(401, "credentialUnknown", "this installation credential is not valid any more: register anew")
    }
    return .installation(credential.installation)
  }

  private func user(of token: String, by verifier: JWTVerifier) throws -> String {
    let now = clock.wall().since(Instant(microseconds: 0))
    if let user = verified.user(of: token, nowSeconds: now) { return user }
    do {
      let user = try verifier.verify(token, nowSeconds: now)
      guard RegistrationLimits.isIdentifier(user) else { throw JWTRefusal.malformed }
      verified.insert(token, user: user, nowSeconds: now)
      return user
    } catch let refusal as JWTRefusal {
      throw Problem(401, "token.\(refusal.rawValue)", refusal.description)
    }
  }

  private static func bearerToken(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
