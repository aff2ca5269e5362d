import COpenSSL

/// Owns one `EVP_PKEY`. OpenSSL allows concurrent use of a key that nobody changes, and nobody does.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// "an RSA key", "an EC key on secp384r1": for errors.
  var kind: String {
    let type = EVP_PKEY_get0_type_name(pointer).map { String(cString: $0) } ?? "unknown"
    guard let group else { return "a key of type \(type)" }
    return "a key of type \(type) on curve \(group)"
  }

  /// OpenSSL's name of the curve; P-256 is `prime256v1`.
  var group: String? {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else {
      ERR_clear_error()
      return nil
    }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var isP256: Bool { EVP_PKEY_is_a(pointer, "EC") == 1 && group == "prime256v1" }

  /// Whether `signature` (DER for EC, PKCS#1 v1.5 for RSA) of `message` under SHA-256 is right.
  func verifies(_ message: [UInt8], signature: [UInt8]) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
