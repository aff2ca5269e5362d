import Crypto
import Testing

@Suite struct DigestTests {
  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func sha256KnowsTheStandardsExample() {
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(hexadecimal(sha256(Array("abc".utf8))) == expected)
  }

  @Test func hmacKnowsTheExampleOfRFC4231() {
    let code = hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(hexadecimal(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func comparisonWantsEqualLengthAndBytes() {
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
    #expect(constantTimeEqual([], []))
  }

  @Test func randomBytesDiffer() throws {
    #expect(try randomBytes(32) != randomBytes(32))
  }

  @Test func base64URLReturnsWhatItWrote() {
    for length in 0...70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ length) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: ["a", "ab=", "a+b/", "abcde", "ab\n", "AB", "ä"])
  func base64URLRefusesForeignText(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
