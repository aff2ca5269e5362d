import Testing

@testable import Configuration

@Suite struct ValueTests {
  @Test(arguments: ["8080", ":8080", "host", "host:", "host:65536", "host:-1", "::1:80", "[::1:80", "a b:1", "a/b:1"])
  func notAnAddress(text: String) { #expect(Address(text) == nil) }

  @Test(arguments: [
    ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:8080", "::1", 8080), ("db.example:65535", "db.example", 65535),
  ])
  func anAddress(text: String, host: String, port: Int) throws {
    let address = try #require(Address(text))
    #expect(address.host == host && Int(address.port) == port)
    #expect(address.description == text)
  }

  @Test(arguments: ["http://a", "https://", "https://a:0", "https://a/path", "a"])
  func notAnEndpoint(text: String) { #expect(Endpoint(text) == nil) }

  @Test(arguments: ["https://a.example", "https://a.example:8443", "https://[::1]:8443", "https://[::1]"])
  func anEndpointPrintsAsWritten(text: String) { #expect(Endpoint(text)?.description == text) }

  @Test(arguments: ["off", "shadow", "allow-list", "percent:0", "percent:100", "on"])
  func aModePrintsAsWritten(text: String) { #expect(Mode(text)?.description == text) }

  @Test(arguments: ["", "percent", "percent:", "percent:101", "percent:-1", "ON"])
  func notAMode(text: String) { #expect(Mode(text) == nil) }

  @Test(arguments: ["", "1", "1,0", "1,-1", "nan,1", "1,inf", "-1,1", "1,2,3"])
  func notADemoClock(text: String) { #expect(DemoClock(text) == nil) }

  @Test func propertiesKeepEqualsSignsInValues() {
    let pairs = SettingKind<[SettingPair]>.pairs.parse("sasl.password=a=b; security.protocol=SASL_SSL;")
    #expect(pairs?.map(\.key) == ["sasl.password", "security.protocol"])
    #expect(pairs?.map(\.value.text) == ["a=b", "SASL_SSL"])
    #expect(SettingKind<[SettingPair]>.pairs.parse("nothing") == nil)
  }

  @Test(arguments: [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("", "ab", 2)])
  func distance(left: String, right: String, expected: Int) {
    #expect(editDistance(left, right) == expected)
    #expect(editDistance(right, left) == expected)
  }
}
