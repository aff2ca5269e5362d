import Domain
import Testing

@testable import APNs

@Suite struct ConfigurationTests {
  private func configuration(
    bundleID: String = "com.example.app", keyID: String = "ABC1234567",
    change: (inout APNsConfiguration) -> Void = { _ in }
  ) -> APNsConfiguration {
    let key = APNsConfiguration.Key(teamID: "TEAM123456", keyID: keyID, file: "key.p8")
    var configuration = APNsConfiguration(apps: [bundleID: [key]])
    change(&configuration)
    return configuration
  }

  @Test func appleItselfIsTheDefault() throws {
    try configuration().validate()
    #expect(configuration().productionURL == "https://api.push.apple.com")
    #expect(configuration().sandboxURL == "https://api.sandbox.push.apple.com")
  }

  @Test func aDoubledSuffixIsRefused() {
    let error = #expect(throws: APNsConfigurationError.self) {
      try configuration(bundleID: "com.example.app.push-type.liveactivity").validate()
    }
    #expect(error?.description.contains("host app's own id") == true)
  }

  @Test func everyOtherMistakeNamesItsValue() {
    let wrong: [APNsConfiguration] = [
      APNsConfiguration(apps: [:]), configuration(bundleID: "a b"), configuration(keyID: "x\ny"),
      configuration(keyID: ""), configuration { $0.connectionsMin = 0 }, configuration { $0.connectionsMax = 1 },
      configuration { $0.productionURL = "http://localhost" }, configuration { $0.sandboxURL = "https://host:99999" },
      configuration { $0.productionURL = "https://host/path" }, configuration { $0.proxy = "proxy" },
      configuration { $0.apps["com.example.app"]?.append(.init(teamID: "T", keyID: "K", file: "f")) },
    ]
    for value in wrong { #expect(throws: APNsConfigurationError.self) { try value.validate() } }
  }

  @Test func endpointsReadPortsAndBrackets() throws {
    #expect(try Endpoint(url: "https://api.push.apple.com").authority == "api.push.apple.com")
    #expect(try Endpoint(url: "https://api.push.apple.com:2197/").authority == "api.push.apple.com:2197")
    let v6 = try Endpoint(url: "https://[::1]:9443")
    #expect(v6.host == "::1" && v6.port == 9443)
    #expect(try Endpoint(address: "proxy.example:3128").port == 3128)
  }

  @Test func collapseIDsFitTheirHeader() {
    #expect(PushRequests.boundedCollapseID("order-7") == Array("order-7".utf8))
    for id in [String(repeating: "a", count: 65), "заказ", "a\r\nb", "a b"] {
      let bounded = PushRequests.boundedCollapseID(id)
      #expect(bounded.count == 64 && bounded.allSatisfy { (0x30...0x66).contains($0) })
    }
  }

  @Test func pushIDsAreUUIDsOfVersion4() throws {
    var random = SplitMix64(seed: 3)
    var seen: Set<String> = []
    for _ in 0..<1000 {
      let text = String(decoding: PushID(&random).text, as: UTF8.self)
      let parts = text.split(separator: "-")
      #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
      let variant = try #require(parts[3].first)
      #expect(parts[2].hasPrefix("4") && "89ab".contains(variant))
      #expect(text.allSatisfy { "0123456789abcdef-".contains($0) })
      seen.insert(text)
    }
    #expect(seen.count == 1000)
  }
}
