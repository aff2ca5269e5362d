import COpenSSL

/// A key that checks signatures under exactly one algorithm, so that a token cannot choose another.
public struct VerifyingKey: Sendable {
  public enum Algorithm: String, Sendable {
    case hs256 = "HS256"
    case es256 = "ES256"
    case rs256 = "RS256"
  }

  private enum Material: Sendable {
    case secret([UInt8])
    case key(KeyHandle)
  }

  public static let secretBytesMin = 32
  public static let rsaBitsMin: Int32 = 2048

  public let algorithm: Algorithm
  private let material: Material

  init(p256 handle: KeyHandle) {
    algorithm = .es256
    material = .key(handle)
  }

  /// HS256; RFC 7518 3.2 demands at least 32 bytes.
  public init(secret: [UInt8]) throws(CryptoError) {
    guard secret.count >= Self.secretBytesMin else {
      throw CryptoError("an HS256 secret has \(secret.count) bytes: expected at least \(Self.secretBytesMin)")
    }
    algorithm = .hs256
    material = .secret(secret)
  }

  /// ES256, from the coordinates of the public point, 32 bytes each.
  public init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == 32, y.count == 32 else {
      throw CryptoError("a P-256 point has \(x.count) and \(y.count) bytes: expected 32 and 32")
    }
    guard let handle = PublicKeyInfo.key(fromDER: PublicKeyInfo.p256(x: x, y: y)) else {
      throw CryptoError("not a point of the curve P-256")
    }
    self.init(p256: handle)
  }

  /// RS256, from modulus and exponent, big-endian; at least 2048 bits (RFC 7518 3.3).
  public init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    guard let handle = PublicKeyInfo.key(fromDER: PublicKeyInfo.rsa(modulus: modulus, exponent: exponent)) else {
      throw CryptoError("not an RSA public key: OpenSSL refuses its numbers")
    }
    let bits = EVP_PKEY_get_bits(handle.pointer)
    guard bits >= Self.rsaBitsMin else {
      throw CryptoError("an RSA key has \(bits) bits: expected at least \(Self.rsaBitsMin)")
    }
    algorithm = .rs256
    material = .key(handle)
  }

  /// 16 hexadecimal digits that tell public keys apart: the start of the SHA-256 of the key in DER.
  public func fingerprint() throws(CryptoError) -> String {
    guard case .key(let handle) = material, let der = PublicKeyInfo.der(of: handle) else {
      throw CryptoError("only a public key has a fingerprint")
    }
    return sha256(der).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Whether `signature` (for ES256 the raw 64 bytes) of `message` is right.
  public func verifies(_ message: [UInt8], signature: [UInt8]) -> Bool {
    switch (algorithm, material) {
    case (.hs256, .secret(let secret)):
      return constantTimeEqual(hmacSHA256(message, key: secret), signature)
    case (.es256, .key(let handle)):
      guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
      return handle.verifies(message, signature: der)
    case (.rs256, .key(let handle)):
      return handle.verifies(message, signature: signature)
    default:
      return false
    }
  }
}

extension VerifyingKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "VerifyingKey(\(algorithm.rawValue))" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
