import Crypto
import Service

/// A signing key at hand: who it is, and how its tokens are made.
struct ProviderKey: Sendable {
  let id: ProviderKeyID
  private let signingKey: SigningKey

  init(teamID: String, keyID: String, signingKey: SigningKey) throws(CryptoError) {
    self.signingKey = signingKey
    id = ProviderKeyID(teamID: teamID, keyID: keyID, fingerprint: try signingKey.publicKey.fingerprint())
  }

  /// The JWT of docs/apns.md: ES256, `kid`, `iss`, `iat`, and nothing else.
  func mint(nowSeconds: Int64) throws(CryptoError) -> String {
    let header = #"{"alg":"ES256","kid":"\#(id.keyID)"}"#
    let claims = #"{"iss":"\#(id.teamID)","iat":\#(nowSeconds)}"#
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
    return "\(signed).\(Base64URL.encode(try signingKey.sign(Array(signed.utf8))))"
  }
}
