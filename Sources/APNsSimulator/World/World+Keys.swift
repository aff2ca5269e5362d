/// A signing key to be made or changed: the control port's KEY.
public struct KeySpec: Codable, Sendable {
  public enum Scope: String, Codable, Sendable { case legacy, team, topics }

  /// Ten characters, as Apple's are.
  public var id: String
  public var scope: Scope?
  /// For `team` and `topics`.
  public var environment: APNsEnvironment?
  /// For `topics`: bundle ids, and the word that related keys share.
  public var bundles: [String]?
  public var relation: String?
  public var isRevoked: Bool?
}

extension World {
  /// Makes the keys that are new and says their private halves (PKCS#8 in PEM); of known ones only `isRevoked` changes.
  public func change(_ specs: [KeySpec]) throws(CommandRefused) -> [String: String] {
    var made: [String: String] = [:]
    for spec in specs {
      if frontEnd.providerTokens.keys[spec.id] == nil { made[spec.id] = try make(spec) }
      if let isRevoked = spec.isRevoked { frontEnd.providerTokens.keys[spec.id]?.isRevoked = isRevoked }
    }
    return made
  }

  private func make(_ spec: KeySpec) throws(CommandRefused) -> String {
    guard let pair = ProviderKeyPair.make() else { throw CommandRefused(description: "OpenSSL cannot make a key") }
    let scope: ProviderKey.Scope
    switch (spec.scope ?? .legacy, spec.environment) {
    case (.legacy, _): scope = .legacy
    case (.team, let environment?): scope = .team(environment)
    case (.topics, let environment?): scope = .topics(spec.bundles ?? [], environment, relation: spec.relation ?? "")
    default: throw CommandRefused(description: "key \(spec.id): this scope needs an environment")
    }
    accept(ProviderKey(id: spec.id, teamID: settings.teamID, scope: scope, publicKey: pair.publicKey))
    return String(decoding: pair.privateKeyPEM, as: UTF8.self)
  }
}
