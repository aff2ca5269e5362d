import COpenSSL

/// A P-256 public key of OpenSSL, used for ES256 only.
final class PublicKey: @unchecked Sendable {
  // Never changed after init, and OpenSSL lets many threads verify with one EVP_PKEY.
  private let handle: OpaquePointer

  fileprivate init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit { EVP_PKEY_free(handle) }

  /// `signature` = R and S, 32 bytes each, as JOSE has it; DER is refused by its length.
  func verifies(signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == 64, let der = Self.der(signature), let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return false }
    return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
  }

  private static func der(_ raw: [UInt8]) -> [UInt8]? {
    guard let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    guard let r = BN_bin2bn(Array(raw[0..<32]), 32, nil), let s = BN_bin2bn(Array(raw[32..<64]), 32, nil) else {
      return nil
    }
    guard ECDSA_SIG_set0(pair, r, s) == 1 else { return nil }
    var start: UnsafeMutablePointer<UInt8>?
    let length = i2d_ECDSA_SIG(pair, &start)
    guard length > 0, let start else { return nil }
    defer { CRYPTO_free(start, nil, 0) }
    return Array(UnsafeBufferPointer(start: start, count: Int(length)))
  }
}

/// A new P-256 key pair: the half that Apple keeps, and the `.p8` file that the provider gets.
struct ProviderKeyPair {
  let publicKey: PublicKey
  /// PKCS#8 in PEM.
  let privateKeyPEM: [UInt8]

  /// Nil when OpenSSL cannot make one (out of memory or of entropy).
  static func make() -> ProviderKeyPair? {
    guard let handle = newP256Key() else { return nil }
    guard let pem = PEM.privateKey(handle) else {
      EVP_PKEY_free(handle)
      return nil
    }
    return ProviderKeyPair(publicKey: PublicKey(owning: handle), privateKeyPEM: pem)
  }

  static func newP256Key() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1, EVP_PKEY_keygen(context, &key) == 1
    else { return nil }
    return key
  }
}

extension ProviderKey {
  /// The key that a provider's `.p8` file holds, for all topics and both environments; nil when it is no P-256 key.
  public init?(id: String, teamID: String, privateKeyPEM: [UInt8]) {
    guard let memory = BIO_new_mem_buf(privateKeyPEM, Int32(clamping: privateKeyPEM.count)) else { return nil }
    defer { BIO_free(memory) }
    guard let handle = PEM_read_bio_PrivateKey(memory, nil, nil, nil) else { return nil }
    guard EVP_PKEY_is_a(handle, "EC") == 1 else {
      EVP_PKEY_free(handle)
      return nil
    }
    self.init(id: id, teamID: teamID, scope: .legacy, publicKey: PublicKey(owning: handle))
  }
}

enum PEM {
  static func privateKey(_ key: OpaquePointer) -> [UInt8]? {
    text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  static func certificate(_ certificate: OpaquePointer) -> [UInt8]? {
    text { PEM_write_bio_X509($0, certificate) }
  }

  private static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let memory = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let length = BIO_read(memory, &buffer, Int32(buffer.count))
    return length > 0 ? Array(buffer[0..<Int(length)]) : nil
  }
}
