import Domain
import Service
import Testing

@testable import APNs

@Suite struct CurlCommandTests {
  @Test func itIsWhatAPushWouldBe() throws {
    let harness = try Harness()
    let key = APNsConfiguration.Key(teamID: "TEAM000001", keyID: "KEY0000001", file: "\(harness.folder)/key.p8")
    var push = harness.push(1, token: [0xAB, 0xCD], bodyBytes: 0)
    push.collapseID = "order-7"
    push.body = Array(#"{"aps":{"alert":"it's"}}"#.utf8)
    let text = try CurlCommand.text(push, APNsConfiguration(apps: ["app.one": [key]]), nowSeconds: 1_790_000_000)
    #expect(text.hasPrefix("curl --http2 "))
    #expect(text.hasSuffix(#"--data-binary '{"aps":{"alert":"it'\''s"}}' 'https://api.push.apple.com/3/device/abcd'"#))
    for field in [
      "'apns-topic: app.one.push-type.liveactivity'", "'apns-push-type: liveactivity'", "'apns-priority: 10'",
      "'apns-expiration: 1790000120'", "'apns-collapse-id: order-7'", "'authorization: bearer ey",
    ] { #expect(text.contains("--header \(field)"), "\(field)") }
    #expect(throws: APNsConfigurationError.self) {
      try CurlCommand.text(push, APNsConfiguration(apps: ["other": [key]]), nowSeconds: 0)
    }
  }
}
