import Crypto
import Runtime

/// User tokens whose signature was checked a moment ago, by their SHA-256: RSA costs more than the rest of a request.
final class VerifiedTokens: Sendable {
  static let tokensMax = 10_000
  /// An expired token is accepted for at most so much longer; less than the skew that clocks are granted anyway.
  static let keptSeconds = 30.0

  private struct Entry: Sendable {
    var user: String
    var until: Double
  }

  private let entries = Lock<[[UInt8]: Entry]>([:])

  func user(of token: String, nowSeconds: Double) -> String? {
    let key = sha256(Array(token.utf8))
    return entries.withLock { entries in
      guard let entry = entries[key], entry.until > nowSeconds else { return nil }
      return entry.user
    }
  }

  func insert(_ token: String, user: String, nowSeconds: Double) {
    let key = sha256(Array(token.utf8))
    entries.withLock { entries in
      if entries.count >= Self.tokensMax { entries = entries.filter { $0.value.until > nowSeconds } }
      guard entries.count < Self.tokensMax else { return }
      entries[key] = Entry(user: user, until: nowSeconds + Self.keptSeconds)
    }
  }

  func removeAll() { entries.withLock { $0 = [:] } }
}
