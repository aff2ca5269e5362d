import FoundationEssentials

/// A provider token (JWT) taken apart, not yet believed (docs/apns.md 2.1).
struct ProviderToken: Equatable {
  var keyID: String
  var teamID: String
  /// Unix seconds.
  var issuedAt: Int64
  /// What the signature covers.
  var signedPart: [UInt8]
  var signature: [UInt8]

  private struct Header: Decodable {
    var alg: String
    var kid: String
  }

  private struct Claims: Decodable {
    var iss: String
    var iat: Int64
  }

  /// Nil for anything that is not three base64url parts with ES256, a `kid`, an `iss` and a whole `iat`.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { return nil }
    let decoder = JSONDecoder()
    guard let head = try? decoder.decode(Header.self, from: Data(header)), head.alg == "ES256",
      let body = try? decoder.decode(Claims.self, from: Data(claims))
    else { return nil }
    keyID = head.kid
    teamID = body.iss
    issuedAt = body.iat
    signedPart = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }
}

/// Checks provider tokens: signature, key, team, age, and that one key does not change its token too often
/// (docs/apns.md 2.2). Runs on real time.
struct ProviderTokenCheck {
  static let ageSecondsMax: Int64 = 3600
  static let futureSecondsMax: Int64 = 300
  static let updateSecondsMin: Int64 = 1200
  /// Verified tokens remembered; beyond it the memory starts anew.
  static let rememberedMax = 1000

  var keys: [String: ProviderKey] = [:]
  private var verified: [String: ProviderToken] = [:]
  /// Most headers are the one before: it is not taken apart again.
  private var lastHeader = (whole: "", token: "")
  private var inUse: [String: (token: String, since: Moment)] = [:]

  /// `connection` is where per-connection counting would happen; the rule is kept per key.
  mutating func check(_ authorization: String?, now: Moment) throws(Refusal) -> ProviderKey {
    guard let authorization else { throw Refusal(.missingProviderToken, "no authorization header") }
    let text: String
    if authorization == lastHeader.whole {
      text = lastHeader.token
    } else {
      let words = authorization.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, words[0].lowercased() == "bearer" else {
        throw Refusal(.missingProviderToken, "authorization must be the word bearer, a space and the token")
      }
      text = String(words[1])
      lastHeader = (authorization, text)
    }
    let (token, key) = try authentic(text)
    try checkAge(of: token, now: now)
    try checkChange(to: text, key: key.id, now: now)
    return key
  }

  private mutating func authentic(_ text: String) throws(Refusal) -> (ProviderToken, ProviderKey) {
    if let known = verified[text], let key = keys[known.keyID] {
      if key.isRevoked { throw Refusal(.forbidden, "the key is revoked") }
      return (known, key)
    }
    guard let token = ProviderToken(text) else { throw Refusal(.invalidProviderToken, "not an ES256 provider token") }
    guard let key = keys[token.keyID] else { throw Refusal(.invalidProviderToken, "unknown kid") }
    if key.isRevoked { throw Refusal(.forbidden, "the key is revoked") }
    guard key.teamID == token.teamID else { throw Refusal(.invalidProviderToken, "iss is not the key's team") }
    guard key.publicKey.verifies(signature: token.signature, of: token.signedPart) else {
      throw Refusal(.invalidProviderToken, "the signature is wrong (R and S, 64 bytes, are expected)")
    }
    if verified.count >= Self.rememberedMax { verified.removeAll() }
    verified[text] = token
    return (token, key)
  }

  private func checkAge(of token: ProviderToken, now: Moment) throws(Refusal) {
    let (age, overflow) = now.seconds.subtractingReportingOverflow(token.issuedAt)
    if overflow || age < -Self.futureSecondsMax {
      throw Refusal(.invalidProviderToken, "iat lies over \(Self.futureSecondsMax) s ahead")
    }
    if age > Self.ageSecondsMax { throw Refusal(.expiredProviderToken, "iat is \(age) s old") }
  }

  private mutating func checkChange(to text: String, key: String, now: Moment) throws(Refusal) {
    guard let current = inUse[key], current.token != text else {
      if inUse[key] == nil { inUse[key] = (text, now) }
      return
    }
    let used = (now - current.since).micros / 1_000_000
    guard used >= Self.updateSecondsMin else {
      throw Refusal(.tooManyProviderTokenUpdates, "changed after \(used) s; \(Self.updateSecondsMin) s is the least")
    }
    inUse[key] = (text, now)
  }
}
