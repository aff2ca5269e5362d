import COpenSSL

/// Owns one X.509 certificate.
final class Certificate: @unchecked Sendable {
  let commonName: String
  private let pointer: OpaquePointer

  /// Valid from a day ago, so that a slow clock does not refuse it, for 30 days.
  init(
    subject: String, issuer: String, key: PrivateKey, signedBy signer: PrivateKey, extensions: [(Int32, String)]
  ) throws(CertificateError) {
    guard let pointer = X509_new() else { throw CertificateError("making a certificate") }
    self.pointer = pointer
    commonName = subject
    guard X509_set_version(pointer, 2) == 1, Self.setSerial(pointer),
      X509_gmtime_adj(X509_getm_notBefore(pointer), -86_400) != nil,
      X509_gmtime_adj(X509_getm_notAfter(pointer), 30 * 86_400) != nil,
      Self.setCommonName(X509_get_subject_name(pointer), subject),
      Self.setCommonName(X509_get_issuer_name(pointer), issuer),
      X509_set_pubkey(pointer, key.pointer) == 1
    else { throw CertificateError("filling a certificate") }
    for (kind, value) in extensions {
      guard let made = X509V3_EXT_conf_nid(nil, nil, kind, value) else {
        throw CertificateError("making the certificate extension \(value)")
      }
      defer { X509_EXTENSION_free(made) }
      guard X509_add_ext(pointer, made, -1) == 1 else { throw CertificateError("adding a certificate extension") }
    }
    guard X509_sign(pointer, signer.pointer, EVP_sha256()) > 0 else { throw CertificateError("signing a certificate") }
  }

  deinit { X509_free(pointer) }

  func pem() throws(CertificateError) -> String {
    try MemoryBIO.text { PEM_write_bio_X509($0, pointer) == 1 }
  }

  private static func setSerial(_ pointer: OpaquePointer) -> Bool {
    var random: UInt64 = 0
    let drawn = withUnsafeMutableBytes(of: &random) {
      RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count)) == 1
    }
    return drawn && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), random >> 1) == 1
  }

  private static func setCommonName(_ name: OpaquePointer?, _ text: String) -> Bool {
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, Int32(clamping: text.utf8.count), -1, 0) == 1
  }
}

/// Owns one P-256 private key.
final class PrivateKey: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  static func generate() throws(CertificateError) -> PrivateKey {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw CertificateError("making a key") }
    defer { EVP_PKEY_CTX_free(context) }
    var pointer: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
      EVP_PKEY_keygen(context, &pointer) == 1, let pointer
    else { throw CertificateError("making a key") }
    return PrivateKey(owning: pointer)
  }

  func pem() throws(CertificateError) -> String {
    try MemoryBIO.text { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
  }
}

enum MemoryBIO {
  /// The text that `write` puts into a memory buffer.
  static func text(_ write: (OpaquePointer) -> Bool) throws(CertificateError) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw CertificateError("writing PEM") }
    defer { BIO_free(bio) }
    guard write(bio) else { throw CertificateError("writing PEM") }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = Int(BIO_read(bio, &buffer, Int32(buffer.count)))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
