import COpenSSL
import Crypto
import Testing

@Suite struct JWTVerifierTests {
  let secret: [UInt8]
  let elliptic: SigningKey
  let rsa: GeneratedKey
  let verifier: JWTVerifier

  init() throws {
    secret = try randomBytes(32)
    rsa = try GeneratedKey(rsaBits: 2048)
    let pair = try GeneratedKey(curve: NID_X9_62_prime256v1)
    elliptic = try SigningKey(pem: pair.pem(), source: "test")
    let point = pair.point()
    let document = """
      {"keys":[{"kty":"oct","kid":"h","k":"\(Base64URL.encode(secret))"},
      {"kty":"EC","crv":"P-256","kid":"e","alg":"ES256","use":"sig",
      "x":"\(Base64URL.encode(point.x))","y":"\(Base64URL.encode(point.y))"},
      {"kty":"RSA","kid":"r","n":"\(Base64URL.encode(rsa.number("n")))","e":"\(Base64URL.encode(rsa.number("e")))"},
      {"kty":"OKP","crv":"Ed25519","kid":"x","x":"AAAA"}]}
      """
    verifier = JWTVerifier(try JSONWebKeySet(Array(document.utf8), source: "jwks.json"))
  }

  private func token(
    _ header: String, _ claims: String = #"{"sub":"u-1","exp":2000}"#, sign: ([UInt8]) throws -> [UInt8]
  ) rethrows -> String {
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
    return "\(signed).\(Base64URL.encode(try sign(Array(signed.utf8))))"
  }

  private func hs256(_ claims: String, header: String = #"{"alg":"HS256","kid":"h"}"#) -> String {
    token(header, claims) { hmacSHA256($0, key: secret) }
  }

  @Test func acceptsAllThreeAlgorithms() throws {
    #expect(try verifier.verify(hs256(#"{"sub":"u-1"}"#), nowSeconds: 1000) == "u-1")
    let es256 = try token(#"{"alg":"ES256","kid":"e"}"#) { try elliptic.sign($0) }
    #expect(try verifier.verify(es256, nowSeconds: 1000) == "u-1")
    let rs256 = token(#"{"alg":"RS256","kid":"r"}"#) { rsa.sign($0) }
    #expect(try verifier.verify(rs256, nowSeconds: 1000) == "u-1")
    let withoutKeyID = token(#"{"alg":"RS256"}"#) { rsa.sign($0) }
    #expect(try verifier.verify(withoutKeyID, nowSeconds: 1000) == "u-1")
  }

  @Test func theAlgorithmIsTheKeys() {
    let none = token(#"{"alg":"none"}"#) { _ in [] }
    #expect(throws: JWTRefusal.algorithmNotAllowed) { try verifier.verify(none, nowSeconds: 0) }
    let confused = token(#"{"alg":"HS256","kid":"r"}"#) { hmacSHA256($0, key: rsa.number("n")) }
    #expect(throws: JWTRefusal.algorithmNotAllowed) { try verifier.verify(confused, nowSeconds: 0) }
    let foreign = token(#"{"alg":"HS256","kid":"z"}"#) { hmacSHA256($0, key: secret) }
    #expect(throws: JWTRefusal.unknownKey) { try verifier.verify(foreign, nowSeconds: 0) }
    let wrong = token(#"{"alg":"HS256","kid":"h"}"#) { hmacSHA256($0, key: [1] + secret) }
    #expect(throws: JWTRefusal.wrongSignature) { try verifier.verify(wrong, nowSeconds: 0) }
    let critical = hs256(#"{"sub":"u"}"#, header: #"{"alg":"HS256","kid":"h","crit":["x"]}"#)
    #expect(throws: JWTRefusal.malformed) { try verifier.verify(critical, nowSeconds: 0) }
  }

  @Test func timesHoldWithTheSkew() throws {
    let skew = JWTVerifier.clockSkewSeconds
    let bounded = hs256(#"{"sub":"u-1","nbf":1000,"exp":2000}"#)
    #expect(throws: JWTRefusal.notYetValid) { try verifier.verify(bounded, nowSeconds: 999 - skew) }
    #expect(try verifier.verify(bounded, nowSeconds: 1000 - skew) == "u-1")
    #expect(try verifier.verify(bounded, nowSeconds: 1999 + skew) == "u-1")
    #expect(throws: JWTRefusal.expired) { try verifier.verify(bounded, nowSeconds: 2000 + skew) }
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", String(repeating: "a", count: 9000), "e30.e30.\u{0}",
  ])
  func refusesWhatIsNoToken(_ text: String) {
    #expect(throws: JWTRefusal.malformed) { try verifier.verify(text, nowSeconds: 0) }
  }

  @Test(arguments: [#"{}"#, #"{"sub":""}"#, #"{"sub":7}"#, #"{"sub":"u","exp":"soon"}"#, "[]", "nonsense"])
  func refusesClaimsWithoutASubject(_ claims: String) {
    #expect(throws: JWTRefusal.malformed) { try verifier.verify(hs256(claims), nowSeconds: 0) }
  }

  @Test(arguments: [
    "", "[]", #"{"keys":7}"#, #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
    #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, #"{"keys":[{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}]}"#,
  ])
  func refusesAKeySetThatIsNone(_ text: String) {
    let error = #expect(throws: CryptoError.self) { try JSONWebKeySet(Array(text.utf8), source: "jwks.json") }
    #expect(error?.description.contains("jwks.json") == true)
  }
}
