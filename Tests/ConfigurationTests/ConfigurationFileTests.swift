import Documents
import Testing

@testable import Configuration

@Suite struct ConfigurationFileTests {
  private func file(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile(Document.parse(Array(text.utf8), file: "doorstep.yaml"))
  }

  @Test func namesMayBeNestedAndInCamelCase() throws {
    let file = try file(
      """
      kafka:
        brokers: a:1,b:2
        orderTopics: [x, y]
      apiAddress: 127.0.0.1:8080
      apns: {teamId: T, bundleIDs: [c.d]}
      databasePoolSize: 8
      """)
    #expect(
      file.values == [
        "DOORSTEP_KAFKA_BROKERS": "a:1,b:2", "DOORSTEP_KAFKA_ORDER_TOPICS": "x,y",
        "DOORSTEP_API_ADDRESS": "127.0.0.1:8080", "DOORSTEP_APNS_TEAM_ID": "T", "DOORSTEP_APNS_BUNDLE_IDS": "c.d",
        "DOORSTEP_DATABASE_POOL_SIZE": "8",
      ])
  }

  @Test func everySettingCanBeWrittenInAFile() {
    for setting in SettingsTable.all {
      let words = setting.name.dropFirst("DOORSTEP_".count).split(separator: "_").map { $0.lowercased() }
      let camel = words.dropFirst().reduce(words[0]) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
      #expect("DOORSTEP_" + ConfigurationFile.upperSnake(camel) == setting.name)
    }
  }

  @Test func severalAppsHaveTheirOwnKeysAndModes() throws {
    let text = """
      apps:
        - {teamId: T1, keyId: K1, keyFile: /k1.p8, bundleIds: [a.b], mode: "percent:10"}
        - {teamId: T2, keyId: K2, keyFile: /k2.p8, bundleIds: [c.d, e.f]}
      """
    let apps = try Settings(SettingValues(environment: [:]), apps: try file(text).apps).apns.apps
    #expect(apps.map(\.keyID) == ["K1", "K2"])
    #expect(apps.map(\.mode) == [.percent(10), nil])
    #expect(throws: ConfigurationError.self) {
      try Settings(SettingValues(environment: ["DOORSTEP_APNS_KEY_ID": "K"]), apps: apps)
    }
  }

  @Test(arguments: ["apps: [{teamId: T}]", "apps: 7", "kafka: {brokers: [[1]]}", "[1]", "a: 1\nA: 2"])
  func whatIsWrongIsToldWithItsPlace(text: String) {
    #expect(throws: DocumentError.self) { try file(text) }
  }

  @Test func anUnknownNameInTheFileIsRefused() throws {
    let values = try file("kafka: {broker: x}").values
    #expect(throws: ConfigurationError.self) { try SettingValues(environment: [:], file: values) }
  }

  @Test func aMissingFileIsAnError() {
    #expect(throws: ConfigurationError.self) { try Settings.load(environment: [:], file: "/nowhere/doorstep.yaml") }
  }
}
