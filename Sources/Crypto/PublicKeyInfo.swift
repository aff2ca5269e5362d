import COpenSSL

/// Writes public keys as SubjectPublicKeyInfo (RFC 5280 4.1), the one form in which OpenSSL takes them by value.
enum PublicKeyInfo {
  private static let rsaEncryption: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  private static let ecPublicKeyP256: [UInt8] = [
    0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
    0x01, 0x07,
  ]

  static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    let key = element(0x30, integer(modulus) + integer(exponent))
    return element(0x30, rsaEncryption + element(0x03, [0] + key))
  }

  /// The uncompressed point with these coordinates, 32 bytes each.
  static func p256(x: [UInt8], y: [UInt8]) -> [UInt8] {
    element(0x30, ecPublicKeyP256 + element(0x03, [0, 4] + x + y))
  }

  static func key(fromDER der: [UInt8]) -> KeyHandle? {
    defer { ERR_clear_error() }
    return der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_PUBKEY(nil, &cursor, buffer.count).map { KeyHandle(owning: $0) }
    }
  }

  static func der(of handle: KeyHandle) -> [UInt8]? {
    var output: UnsafeMutablePointer<UInt8>?
    let length = Int(i2d_PUBKEY(handle.pointer, &output))
    guard length > 0, let output else { return nil }
    defer { CRYPTO_free(output, nil, 0) }
    return Array(UnsafeBufferPointer(start: output, count: length))
  }

  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    let needsSign = digits.first.map { $0 >= 0x80 } ?? true
    return element(0x02, needsSign ? [0] + digits : digits)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    repeat {
      length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    } while rest > 0
    if content.count >= 0x80 { length.insert(0x80 | UInt8(truncatingIfNeeded: length.count), at: 0) }
    return [tag] + length + content
  }
}
