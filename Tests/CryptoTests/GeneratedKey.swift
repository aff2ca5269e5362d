import COpenSSL
import Crypto

/// A key of a kind that the product does not make itself, for the tests that must refuse or verify it.
final class GeneratedKey {
  private let pointer: OpaquePointer

  convenience init(curve: Int32) throws {
    try self.init(EVP_PKEY_EC) { EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, curve) == 1 }
  }

  convenience init(rsaBits: Int32) throws {
    try self.init(EVP_PKEY_RSA) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, rsaBits) == 1 }
  }

  private init(_ kind: Int32, _ set: (OpaquePointer) -> Bool) throws {
    var made: OpaquePointer?
    let context = EVP_PKEY_CTX_new_id(kind, nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard let context, EVP_PKEY_keygen_init(context) == 1, set(context), EVP_PKEY_keygen(context, &made) == 1,
      let made
    else { throw CryptoError("no test key") }
    pointer = made
  }

  deinit { EVP_PKEY_free(pointer) }

  func pem() -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = Int(BIO_read(bio, &buffer, Int32(buffer.count)))
    return Array(buffer.prefix(max(0, count)))
  }

  /// A number of an RSA key, `n` or `e`, big-endian.
  func number(_ name: String) -> [UInt8] {
    var number: OpaquePointer?
    EVP_PKEY_get_bn_param(pointer, name, &number)
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
    BN_bn2bin(number, &bytes)
    return bytes
  }

  /// x and y of an EC key, 32 bytes each.
  func point() -> (x: [UInt8], y: [UInt8]) {
    let (x, y) = (number("qx"), number("qy"))
    let pad = { (bytes: [UInt8]) in [UInt8](repeating: 0, count: 32 - bytes.count) + bytes }
    return (pad(x), pad(y))
  }

  func sign(_ message: [UInt8]) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 1024)
    var length = signature.count
    EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer)
    EVP_DigestSign(context, &signature, &length, message, message.count)
    return Array(signature.prefix(length))
  }
}
