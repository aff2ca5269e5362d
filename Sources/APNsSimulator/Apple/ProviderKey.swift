/// A provider's signing key as Apple's portal knows it (docs/apns.md 2.4).
public struct ProviderKey: Sendable {
  public enum Scope: Equatable, Sendable {
    /// All topics, both environments.
    case legacy
    /// All topics, one environment.
    case team(APNsEnvironment)
    /// Listed bundle ids, one environment; keys of one relation may share a connection.
    case topics([String], APNsEnvironment, relation: String)
  }

  public var id: String
  public var teamID: String
  public var scope: Scope
  public var isRevoked = false
  let publicKey: PublicKey

  init(id: String, teamID: String, scope: Scope, publicKey: PublicKey) {
    self.id = id
    self.teamID = teamID
    self.scope = scope
    self.publicKey = publicKey
  }

  var environment: APNsEnvironment? {
    switch scope {
    case .legacy: nil
    case .team(let environment), .topics(_, let environment, _): environment
    }
  }

  func allows(bundle: String) -> Bool {
    if case .topics(let bundles, _, _) = scope { bundles.contains(bundle) } else { true }
  }

  /// Keys that may follow one another on one connection.
  func mayShareConnection(with first: ProviderKey) -> Bool {
    if id == first.id { return true }
    guard teamID == first.teamID else { return false }
    return switch (first.scope, scope) {
    case (.legacy, .legacy): true
    case (.team(let one), .team(let other)): one == other
    case (.topics(_, let one, let relation), .topics(_, let other, let second)): one == other && relation == second
    default: false
    }
  }
}
