import COpenSSL
import Testing

@testable import APNsSimulator

/// Signs provider tokens by hand, with OpenSSL alone: the tests' own provider.
struct HandSigner {
  let pair: ProviderKeyPair
  let keyID: String
  let teamID: String

  init(keyID: String = "TESTKEY001", teamID: String = "DOORSTEP00") throws {
    pair = try #require(ProviderKeyPair.make())
    self.keyID = keyID
    self.teamID = teamID
  }

  func key(_ scope: ProviderKey.Scope = .legacy) -> ProviderKey {
    ProviderKey(id: keyID, teamID: teamID, scope: scope, publicKey: pair.publicKey)
  }

  func token(issuedAt: Int64, algorithm: String = "ES256", team: String? = nil, der: Bool = false) throws -> String {
    let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#.utf8))
    let claims = Base64URL.encode(Array(#"{"iss":"\#(team ?? teamID)","iat":\#(issuedAt)}"#.utf8))
    let signed = Array("\(header).\(claims)".utf8)
    return "\(header).\(claims).\(Base64URL.encode(try sign(signed, der: der)))"
  }

  private func sign(_ message: [UInt8], der: Bool) throws -> [UInt8] {
    let memory = BIO_new_mem_buf(pair.privateKeyPEM, Int32(pair.privateKeyPEM.count))
    defer { BIO_free(memory) }
    let key = try #require(PEM_read_bio_PrivateKey(memory, nil, nil, nil))
    defer { EVP_PKEY_free(key) }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var length = 128
    var signature = [UInt8](repeating: 0, count: length)
    try #require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1)
    try #require(EVP_DigestSign(context, &signature, &length, message, message.count) == 1)
    let asDER = Array(signature[0..<length])
    return der ? asDER : try raw(asDER)
  }

  private func raw(_ der: [UInt8]) throws -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    return try der.withUnsafeBufferPointer { bytes in
      start = bytes.baseAddress
      let pair = try #require(d2i_ECDSA_SIG(nil, &start, bytes.count))
      defer { ECDSA_SIG_free(pair) }
      var out = [UInt8](repeating: 0, count: 64)
      out.withUnsafeMutableBufferPointer { out in
        _ = BN_bn2binpad(ECDSA_SIG_get0_r(pair), out.baseAddress, 32)
        _ = BN_bn2binpad(ECDSA_SIG_get0_s(pair), out.baseAddress.map { $0 + 32 }, 32)
      }
      return out
    }
  }
}
