import COpenSSL

/// A private key for ES256 (ECDSA on P-256 with SHA-256), such as the `.p8` file that Apple issues.
public struct SigningKey: Sendable {
  private let handle: KeyHandle

  private init(_ handle: KeyHandle) { self.handle = handle }

  /// Reads a PKCS#8 PEM. `source` names it in errors: a path or a setting, never the content.
  public init(pem: [UInt8], source: String) throws(CryptoError) {
    let expected = "expected an unencrypted PKCS#8 PEM private key on curve P-256 (the .p8 file that Apple issues)"
    guard let bio = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { throw .openSSL("reading \(source)") }
    defer {
      BIO_free(bio)
      ERR_clear_error()
    }
    // The callback refuses a passphrase: without it OpenSSL would ask at the terminal and wait.
    guard let pointer = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else {
      throw CryptoError("\(source) holds no readable private key: \(expected)")
    }
    let handle = KeyHandle(owning: pointer)
    guard handle.isP256 else { throw CryptoError("\(source) holds \(handle.kind): \(expected)") }
    self.init(handle)
  }

  public init(file path: String) throws(CryptoError) {
    try self.init(pem: SecretFile.read(path), source: path)
  }

  /// A new key, for tests, simulators and demos.
  public static func generate() throws(CryptoError) -> SigningKey {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw .openSSL("making a key") }
    defer { EVP_PKEY_CTX_free(context) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
      EVP_PKEY_keygen(context, &pointer) == 1, let pointer
    else { throw .openSSL("making a key") }
    return SigningKey(KeyHandle(owning: pointer))
  }

  /// The key itself as PKCS#8 PEM. A secret.
  public func pem() throws(CryptoError) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw .openSSL("writing a key") }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, handle.pointer, nil, nil, 0, nil, nil) == 1 else {
      throw .openSSL("writing a key")
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Int(BIO_read(bio, &buffer, Int32(buffer.count)))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  public var publicKey: VerifyingKey { VerifyingKey(p256: handle) }

  /// The signature of `message` as r and s, 64 bytes (RFC 7518 3.4).
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .openSSL("signing") }
    defer { EVP_MD_CTX_free(context) }
    var der = [UInt8](repeating: 0, count: 80)
    var length = der.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
      EVP_DigestSign(context, &der, &length, message, message.count) == 1,
      let raw = ECDSASignature.raw(fromDER: Array(der.prefix(length)))
    else { throw .openSSL("signing") }
    return raw
  }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "SigningKey(P-256)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
