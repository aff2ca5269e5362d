import COpenSSL

/// A key that checks signatures under exactly one algorithm, so that a token cannot choose another.
public struct VerifyingKey: Sendable {
  public enum Algorithm: String, Sendable { case hs256 = "HS256", es256 = "ES256", rs256 = "RS256" }

  private enum Material: Sendable {
    case secret([UInt8])
    case key(KeyHandle)
  }

  public static let secretBytesMin = 32
  public static let rsaBitsMin: Int32 = 2048

  /// OpenSSL's EVP_PKEY_PUBLIC_KEY, an expression macro that Swift does not see.
  private static let publicKeySelection = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

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
    let handle = try Self.make("EC") { builder in
      OSSL_PARAM_BLD_push_utf8_string(builder, "group", "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, "pub", [4] + x + y, 65) == 1
    }
    self.init(p256: handle)
  }

  /// RS256, from modulus and exponent, big-endian; at least 2048 bits (RFC 7518 3.3).
  public init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    let n = BN_bin2bn(modulus, Int32(clamping: modulus.count), nil)
    let e = BN_bin2bn(exponent, Int32(clamping: exponent.count), nil)
    defer {
      BN_free(n)
      BN_free(e)
    }
    let handle = try Self.make("RSA") { builder in
      OSSL_PARAM_BLD_push_BN(builder, "n", n) == 1 && OSSL_PARAM_BLD_push_BN(builder, "e", e) == 1
    }
    let bits = EVP_PKEY_get_bits(handle.pointer)
    guard bits >= Self.rsaBitsMin else {
      throw CryptoError("an RSA key has \(bits) bits: expected at least \(Self.rsaBitsMin)")
    }
    algorithm = .rs256
    material = .key(handle)
  }

  private static func make(_ type: String, _ fill: (OpaquePointer) -> Bool) throws(CryptoError) -> KeyHandle {
    defer { ERR_clear_error() }
    guard let builder = OSSL_PARAM_BLD_new(), let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
      throw .openSSL("making a public key")
    }
    defer {
      OSSL_PARAM_BLD_free(builder)
      EVP_PKEY_CTX_free(context)
    }
    guard fill(builder), let parameters = OSSL_PARAM_BLD_to_param(builder) else {
      throw .openSSL("making a public key")
    }
    defer { OSSL_PARAM_free(parameters) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_fromdata_init(context) == 1,
      EVP_PKEY_fromdata(context, &pointer, Self.publicKeySelection, parameters) == 1, let pointer
    else { throw CryptoError("not a public key of type \(type): OpenSSL refuses its numbers") }
    return KeyHandle(owning: pointer)
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
