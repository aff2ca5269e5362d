import Documents
import Testing

@Suite struct DocumentTests {
  private func parse(_ text: String, _ file: String) throws(DocumentError) -> DocumentNode {
    try Document.parse(Array(text.utf8), file: file)
  }

  private func refusal(_ text: String, _ file: String) -> String? {
    do {
      _ = try parse(text, file)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func readsYAML() throws {
    let text = """
      # a comment
      name: Café
      list: [1, -2, 0x1f, 0o17, 1.5, 1e3, true, ~, "1", yes, 2026-11-30]
      nested:
        - a: |
            two
            lines
      empty:
      """
    let root = try DocumentObject(try parse(text, "a.yaml"), names: ["name", "list", "nested", "empty"])
    #expect(try root.required("name").text() == "Café")
    #expect(root["empty"] == nil)
    let list = try root.required("list").list()
    #expect(
      list.map { "\($0.value)" } == [
        "integer(1)", "integer(-2)", "integer(31)", "integer(15)", "number(1.5)", "number(1000.0)", "bool(true)",
        "null",
        "text(\"1\")", "text(\"yes\")", "text(\"2026-11-30\")",
      ])
    #expect(list[2].position == DocumentPosition(line: 3, column: 15))
    let inner = try DocumentObject(try root.required("nested").list()[0], names: ["a"])
    #expect(try inner.required("a").text() == "two\nlines\n")
  }

  @Test func readsJSON() throws {
    let text = "{\"a\": [1, 2.5, true, null],\r\n \"b\": {\"c\\u00e9\": \"x\\ud83d\\ude00\\n\\/\"}}"
    let root = try DocumentObject(try parse(text, "a.json"), names: ["a", "b"])
    #expect(try root.required("a").list().map { "\($0.value)" } == ["integer(1)", "number(2.5)", "bool(true)", "null"])
    let inner = try root.required("b").members()
    #expect(inner[0].name == "cé")
    #expect(try inner[0].node.text() == "x😀\n/")
    #expect(inner[0].namePosition == DocumentPosition(line: 2, column: 8))
  }

  @Test(arguments: [
    ("a: 1\na: 2", "a.yaml:2:1: the name 'a' stands here twice"),
    ("a: &x 1", "a.yaml:1:4: anchors are not read; write the value out where it is used"),
    ("a: *x", "a.yaml:1:4: aliases are not read; write the value out"), ("a: !!str 1", "a.yaml:1:4: tags are not read"),
    ("a: 1\n---\nb: 2", "a.yaml:2:1: expected one document, found a second one"),
    ("[a]: 1", "a.yaml:1:1: expected a name, then a colon"),
  ])
  func refusesYAML(text: String, message: String) {
    #expect(refusal(text, "a.yaml") == message)
  }

  @Test(arguments: ["a: [1", "a:\n\t- b", "\"\\q\"", "a: 'x"])
  func refusesBrokenYAMLWithItsPlace(text: String) {
    #expect(refusal(text, "a.yaml")?.hasPrefix("a.yaml:") == true)
  }

  @Test(arguments: [
    ("", "expected a value, found the end of the file"), ("{\"a\":1,\"a\":2}", "the name 'a' stands here twice"),
    ("{\"a\":1,}", "expected a name in double quotes"), ("[1 2]", "expected a comma or a closing bracket"),
    ("[1] 2", "expected the end of the file"), ("[01]", "'01' is not a number in JSON"),
    ("[-]", "'-' is not a number in JSON"), ("[1.]", "'1.' is not a number in JSON"),
    ("[1e999]", "'1e999' is not a number that can be read"), ("[nul]", "expected a value"),
    ("[\"\\ud800\"]", "half of a surrogate pair"), ("[\"\\u12\"]", "expected four hexadecimal digits"),
    ("[\"a\nb\"]", "expected a closing quote before the end of the line"),
    ("{a:1}", "expected a name in double quotes"),
  ])
  func refusesJSON(text: String, message: String) {
    #expect(refusal(text, "a.json")?.hasSuffix(message) == true, "\(refusal(text, "a.json") ?? "read")")
  }

  @Test func boundsDepthAndSize() {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    for file in ["a.json", "a.yaml"] {
      #expect(refusal(nested(Document.depthMax), file) == nil)
      #expect(refusal(nested(Document.depthMax + 1), file)?.contains("nested over") == true)
      #expect(refusal(nested(5_000), file) != nil)
      #expect(refusal("\"" + String(repeating: "x", count: Document.bytesMax - 2) + "\"", file) == nil)
      #expect(refusal(String(repeating: " ", count: Document.bytesMax + 1), file)?.contains("bytes") == true)
    }
  }

  @Test func unknownNamesAreRefusedWithTheNearestOne() throws {
    let node = try parse("topics: []\nverson: 1", "m.yaml")
    #expect(
      throws: DocumentError(
        file: "m.yaml", position: DocumentPosition(line: 2, column: 1),
        "there is no 'verson' here; did you mean 'version'?"
      )
    ) { try DocumentObject(node, names: ["topics", "version"]) }
  }

  @Test func everyByteSequenceIsAnswered() {
    let seed = UInt64.random(in: 0 ... .max)
    print("DocumentTests.everyByteSequenceIsAnswered: seed \(seed)")
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let alphabet = Array("{}[]\",:\\u0d8 1e-.tfn\u{e9}\n\t#&*!|>%@`'?~-".utf8) + [0, 0xff, 0xed]
    for _ in 0..<5_000 {
      let bytes = (0..<Int(next() % 30)).map { _ in alphabet[Int(next() % UInt64(alphabet.count))] }
      for file in ["a.json", "a.yaml"] { _ = try? Document.parse(bytes, file: file) }
    }
  }
}
