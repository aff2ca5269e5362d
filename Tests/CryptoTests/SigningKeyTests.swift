import COpenSSL
import Crypto
import Testing

@Suite struct SigningKeyTests {
  @Test func signsWhatItsPublicKeyVerifies() throws {
    let key = try SigningKey.generate()
    for round in 0..<200 {
      let message = Array("message \(round)".utf8)
      var signature = try key.sign(message)
      #expect(signature.count == 64)
      #expect(key.publicKey.verifies(message, signature: signature))
      signature[round % 64] ^= 1
      #expect(!key.publicKey.verifies(message, signature: signature))
    }
  }

  @Test func readsThePEMItWrote() throws {
    let key = try SigningKey.generate()
    let again = try SigningKey(pem: Array(key.pem().utf8), source: "test")
    #expect(key.publicKey.verifies([1], signature: try again.sign([1])))
  }

  @Test(arguments: ["", "garbage", "-----BEGIN PRIVATE" + " KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
  func refusesWhatIsNoKey(_ text: String) {
    let error = #expect(throws: CryptoError.self) { try SigningKey(pem: Array(text.utf8), source: "AuthKey.p8") }
    #expect(error?.description.contains("AuthKey.p8") == true)
    #expect(error?.description.contains("P-256") == true)
  }

  @Test func refusesAnotherCurveAndAnotherKind() throws {
    let p384 = try GeneratedKey(curve: NID_secp384r1)
    let error = #expect(throws: CryptoError.self) { try SigningKey(pem: p384.pem(), source: "k.p8") }
    #expect(error?.description.contains("secp384r1") == true)
    let rsa = try GeneratedKey(rsaBits: 2048)
    #expect(throws: CryptoError.self) { try SigningKey(pem: rsa.pem(), source: "k.p8") }
  }

  @Test func namesTheFileThatIsMissing() {
    let error = #expect(throws: CryptoError.self) { try SigningKey(file: "/nowhere/AuthKey.p8") }
    #expect(error?.description.contains("/nowhere/AuthKey.p8") == true)
  }
}
