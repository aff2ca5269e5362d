import Crypto
import Domain

/// The secret that one installation keeps in its keychain: `dic_<installation>.<32 random bytes>`, both base64url.
///
/// It names its installation, so that it can be checked against one row. The service holds only its SHA-256.
struct InstallationCredential: Sendable {
  static let prefix = "dic_"
  static let secretByteCount = 32

  let installation: InstallationID
  let text: String
  var hash: [UInt8] { sha256(Array(text.utf8)) }

  /// Draws a new one.
  init(for installation: InstallationID) throws(CryptoError) {
    self.installation = installation
    let secret = try randomBytes(Self.secretByteCount)
    text = Self.prefix + Base64URL.encode(installation.text.utf8) + "." + Base64URL.encode(secret)
  }

  /// Reads one that a caller sent; nil when it has another form.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = Base64URL.decode(parts[0]), let secret = Base64URL.decode(parts[1]),
      secret.count == Self.secretByteCount, let installation = String(validating: id, as: UTF8.self)
    else { return nil }
    self.installation = InstallationID(installation)
    self.text = text
  }
}
