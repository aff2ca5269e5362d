import Crypto
import Testing

@Suite struct SealingTests {
  let old: [UInt8]
  let new: [UInt8]

  init() throws {
    old = try randomBytes(32)
    new = try randomBytes(32)
  }

  @Test func opensWhatItSealed() throws {
    let keys = try SealingKeys([new])
    for length in [0, 1, 32, 200] {
      let secret = try randomBytes(length)
      let sealed = try keys.seal(secret, context: [7])
      #expect(sealed.count == length + SealingKeys.overheadByteCount)
      #expect(try keys.open(sealed, context: [7]) == secret)
    }
  }

  @Test func everyChangedBitIsNoticed() throws {
    let keys = try SealingKeys([new])
    let sealed = try keys.seal(Array("secret".utf8), context: [7])
    for bit in 0..<(sealed.count * 8) {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: CryptoError.self) { try keys.open(changed, context: [7]) }
    }
    #expect(throws: CryptoError.self) { try keys.open(sealed, context: [8]) }
    for length in 0..<sealed.count {
      #expect(throws: CryptoError.self) { try keys.open(Array(sealed.prefix(length)), context: [7]) }
    }
  }

  @Test func anOldKeyStillOpensAndNoLongerSeals() throws {
    let before = try SealingKeys([old])
    let after = try SealingKeys([new, old])
    #expect(try after.open(before.seal([1, 2])) == [1, 2])
    let sealed = try after.seal([3])
    #expect(throws: CryptoError.self) { try before.open(sealed) }
  }

  @Test func readsAFileOfKeys() throws {
    let hexadecimal = old.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text = "# newest\n\(Base64URL.encode(new))=\n\n\(hexadecimal)\n"
    let keys = try SealingKeys(text: text, source: "keys.txt")
    #expect(try SealingKeys([new]).open(keys.seal([5])) == [5])
    #expect(try keys.open(SealingKeys([old]).seal([6])) == [6])
    let error = #expect(throws: CryptoError.self) { try SealingKeys(text: "short\n", source: "keys.txt") }
    #expect(error?.description.contains("keys.txt line 1") == true)
  }
}
