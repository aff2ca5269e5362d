import COpenSSL

/// SHA-256 of `bytes`: 32 bytes.
public func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  SHA256(bytes, bytes.count, &digest)
  return digest
}

/// HMAC-SHA-256 of `message` under `key`: 32 bytes.
public func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
  var code = [UInt8](repeating: 0, count: 32)
  var length: UInt32 = 0
  HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &length)
  return code
}

/// Compares in a time that depends on the lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}

/// Bytes from the system's cryptographic generator.
public func randomBytes(_ count: Int) throws(CryptoError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  guard RAND_bytes(&bytes, Int32(clamping: count)) == 1 else { throw .openSSL("drawing random bytes") }
  return bytes
}
