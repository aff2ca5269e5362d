import COpenSSL

/// The two spellings of a P-256 signature: JOSE wants r and s, 32 bytes each (RFC 7518 3.4); OpenSSL speaks DER.
enum ECDSASignature {
  static let rawByteCount = 64

  static func raw(fromDER der: [UInt8]) -> [UInt8]? {
    der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let signature = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return nil }
      defer { ECDSA_SIG_free(signature) }
      var r = [UInt8](repeating: 0, count: 32)
      var s = r
      guard BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
      else { return nil }
      return r + s
    }
  }

  static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == rawByteCount, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    guard let r = BN_bin2bn(Array(raw[..<32]), 32, nil), let s = BN_bin2bn(Array(raw[32...]), 32, nil),
      ECDSA_SIG_set0(signature, r, s) == 1
    else { return nil }
    var output: UnsafeMutablePointer<UInt8>?
    let length = Int(i2d_ECDSA_SIG(signature, &output))
    guard length > 0, let output else { return nil }
    defer { CRYPTO_free(output, nil, 0) }
    return Array(UnsafeBufferPointer(start: output, count: length))
  }
}
