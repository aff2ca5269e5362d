import Codecs

/// Checks the JWT (RFC 7519) of an app's user and gives its subject.
public struct JWTVerifier: Sendable {
  /// Tolerated difference between the issuer's clock and ours.
  public static let clockSkewSeconds: Double = 60
  public static let tokenBytesMax = 8192

  private let keySet: JSONWebKeySet

  public init(_ keySet: JSONWebKeySet) { self.keySet = keySet }

  /// The verified `sub` of `token`. A token without `exp` does not expire.
  ///
  /// The algorithm is the key's own: `none`, another algorithm, and critical extensions are refused.
  public func verify(_ token: String, nowSeconds: Double) throws(JWTRefusal) -> String {
    guard token.utf8.count <= Self.tokenBytesMax else { throw .malformed }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    let candidates = try keys(for: Self.readHeader(header))
    guard candidates.contains(where: { $0.verifies(signed, signature: signature) }) else { throw .wrongSignature }
    return try Self.readClaims(claims).subject(nowSeconds: nowSeconds)
  }

  private func keys(for header: Header) throws(JWTRefusal) -> [VerifyingKey] {
    guard let algorithm = VerifyingKey.Algorithm(rawValue: header.algorithm) else { throw .algorithmNotAllowed }
    let known = header.keyID.map { id in keySet.keys.filter { $0.id == id } } ?? keySet.keys
    guard !known.isEmpty else { throw .unknownKey }
    let fitting = known.map(\.key).filter { $0.algorithm == algorithm }
    guard !fitting.isEmpty else { throw .algorithmNotAllowed }
    return fitting
  }

  private struct Header {
    var algorithm: String
    var keyID: String?
  }

  private static func readHeader(_ bytes: [UInt8]) throws(JWTRefusal) -> Header {
    let header = try? JSON.parse(bytes) { root -> Header? in
      guard root["crit"] == nil, let algorithm = root["alg"]?.string else { return nil }
      if let id = root["kid"], id.string == nil { return nil }
      return Header(algorithm: algorithm, keyID: root["kid"]?.string)
    }
    guard let header else { throw .malformed }
    return header
  }

  private struct Claims {
    var subject: String
    var expiresAt: Double?
    var notBefore: Double?

    func subject(nowSeconds: Double) throws(JWTRefusal) -> String {
      if let expiresAt, nowSeconds >= expiresAt + clockSkewSeconds { throw .expired }
      if let notBefore, nowSeconds < notBefore - clockSkewSeconds { throw .notYetValid }
      return subject
    }
  }

  private static func readClaims(_ bytes: [UInt8]) throws(JWTRefusal) -> Claims {
    let claims = try? JSON.parse(bytes) { root -> Claims? in
      guard let subject = root["sub"]?.string, !subject.isEmpty else { return nil }
      var claims = Claims(subject: subject)
      if let node = root["exp"] {
        guard let seconds = node.double else { return nil }
        claims.expiresAt = seconds
      }
      if let node = root["nbf"] {
        guard let seconds = node.double else { return nil }
        claims.notBefore = seconds
      }
      return claims
    }
    guard let claims else { throw .malformed }
    return claims
  }
}

/// Why a token is not accepted. Raw values are fit for a metric label; nothing of the token is in them.
public enum JWTRefusal: String, Error, Sendable, CaseIterable, CustomStringConvertible {
  case malformed, algorithmNotAllowed, unknownKey, wrongSignature, expired, notYetValid

  public var description: String {
    switch self {
    case .malformed: "the token is not a JWT with a subject"
    case .algorithmNotAllowed: "the token's algorithm is not the one of its key: expected HS256, ES256 or RS256"
    case .unknownKey: "the token names a key that is not in the key set"
    case .wrongSignature: "the token's signature is wrong"
    case .expired: "the token has expired"
    case .notYetValid: "the token is not valid yet"
    }
  }
}
