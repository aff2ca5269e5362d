import Codecs
import Testing

@Suite struct JSONTests {
  private func refusal(of text: String) -> JSONError? { refusal(of: Array(text.utf8)) }

  private func refusal(of bytes: [UInt8]) -> JSONError? {
    do {
      try JSON.parse(bytes) { _ in }
      return nil
    } catch {
      return error as? JSONError
    }
  }

  @Test func readsEveryKind() throws {
    let text =
      #"{"a":"x\u00e9\n","b":-7,"c":18446744073709551615,"d":1.5,"e":true,"f":null,"#
      + #""g":[1,[2],{}],"h":{"i":1}}"#
    try JSON.parse(Array(text.utf8)) { root in
      #expect(root.kind == .object)
      #expect(root["a"]?.string == "xé\n")
      #expect(root["b"]?.int64 == -7)
      #expect(root["b"]?.uint64 == nil)
      #expect(root["c"]?.uint64 == .max)
      #expect(root["c"]?.int64 == nil)
      #expect(root["d"]?.double == 1.5)
      #expect(root["d"]?.int64 == nil)
      #expect(root["e"]?.bool == true)
      #expect(root["f"]?.isNull == true)
      #expect(root["g"]?.elements.map(\.kind) == [.number, .array, .object])
      #expect(root["h"]?["i"]?.int64 == 1)
      #expect(root.member(named: "h")?.kind == .object)
      #expect(root["missing"] == nil)
      #expect(root.members.map { $0.key.string } == ["a", "b", "c", "d", "e", "f", "g", "h"])
      #expect(root["a"]?.members.contains { _ in true } == false)
    }
  }

  @Test(arguments: [
    ("", JSONError.empty), ("  \n", .empty), ("\u{feff}{}", .byteOrderMark), ("{", .syntax), ("{} x", .syntax),
    ("[1,]", .syntax), ("{\"a\" 1}", .syntax), ("\"\\x\"", .badString), ("\"a", .badString), ("\"\u{1}\"", .badString),
    ("01", .badNumber), ("-", .badNumber), ("0.1e", .badNumber), ("1e400", .badNumber), ("1147e02864", .badNumber),
    ("123456789012345678901234567890", .badNumber), ("-9223372036854775809", .badNumber), ("NaN", .syntax),
    ("{\"a\":1,\"a\":2}", .duplicateKey), ("[{\"b\":{\"a\":1,\"\\u0061\":2}}]", .duplicateKey),
    ("\"\\ud800\"", .loneSurrogate), ("\"\\udc00\"", .loneSurrogate), ("{\"\\udfff\":1}", .loneSurrogate),
    ("\"\\ud800\\u0041\"", .loneSurrogate),
  ])
  func refuses(text: String, error: JSONError) {
    let given = refusal(of: text)
    let alternatives: [JSONError] = error == .loneSurrogate ? [.loneSurrogate, .badString] : [error]
    #expect(given.map(alternatives.contains) == true, "\(text): \(String(describing: given))")
  }

  @Test func refusesOtherEncodings() {
    #expect(refusal(of: [0x22, 0xff, 0x22]) == .notUTF8)
    #expect(refusal(of: [0x22, 0xed, 0xa0, 0x80, 0x22]) == .notUTF8)
    #expect(refusal(of: Array("{}".utf16).flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }) != nil)
  }

  @Test func boundsDepth() {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(refusal(of: nested(JSON.depthMax)) == nil)
    #expect(refusal(of: nested(JSON.depthMax + 1)) == .tooDeep)
    #expect(refusal(of: nested(200_000)) == .tooDeep)
  }

  @Test func findsEqualKeysInLargeObjects() {
    let distinct = (0..<5_000).map { "\"k\($0)\":0" }
    #expect(refusal(of: "{" + distinct.joined(separator: ",") + "}") == nil)
    #expect(refusal(of: "{" + (distinct + ["\"k17\":1"]).joined(separator: ",") + "}") == .duplicateKey)
  }

  @Test func nestedParsesDoNotDisturbEachOther() throws {
    let text = try JSON.parse(Array(#"["outer"]"#.utf8)) { outer in
      try JSON.parse(Array(#"["inner and longer"]"#.utf8)) { inner in
        [outer, inner].compactMap { node in node.elements.map { $0.string }.first ?? nil }
      }
    }
    #expect(text == ["outer", "inner and longer"])
  }

  @Test func everyByteSequenceIsAnswered() {
    let seed = UInt64.random(in: 0 ... .max)
    print("JSONTests.everyByteSequenceIsAnswered: seed \(seed)")
    var generator = SplitMix(state: seed)
    let alphabet = Array("{}[]\",:\\u0d8 1e-.tfn\u{e9}".utf8) + [0, 0xff, 0xed, 0xa0]
    for _ in 0..<20_000 {
      let bytes = (0..<Int(generator.next() % 24)).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
      _ = refusal(of: bytes)
    }
  }

  @Test func writesWhatItReads() throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("text", "a\"b\\c\n\u{1}é😀/" as String?)
    writer.member("least", Int64.min as Int64?)
    writer.member("most", UInt64.max as UInt64?)
    writer.member("share", 0.1 as Double?)
    writer.member("not", Double.nan as Double?)
    writer.member("none", nil as String?)
    writer.key("list")
    writer.beginArray()
    writer.int(1)
    writer.double(.infinity)
    writer.bool(false)
    writer.endArray()
    writer.key(escaping: "a\"b")
    writer.beginObject()
    writer.endObject()
    writer.endObject()
    let expected =
      #"{"text":"a\"b\\c\n\u0001é😀/","least":-9223372036854775808,"most":18446744073709551615,"share":0.1,"#
      + #""list":[1,null,false],"a\"b":{}}"#
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    try JSON.parse(writer.bytes) { #expect($0["text"]?.string == "a\"b\\c\n\u{1}é😀/") }
  }
}

/// A small seeded generator, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
