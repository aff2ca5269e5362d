import Glibc
import Testing

@testable import Configuration

private func problems(_ environment: [String: String], file: [String: String] = [:]) -> [ConfigurationError.Problem] {
  do {
    _ = try Settings(SettingValues(environment: environment, file: file))
    return []
  } catch {
    return error.problems
  }
}

@Suite struct SettingsTests {
  @Test func everyDefaultIsAValidValue() {
    for setting in SettingsTable.all {
      if let text = setting.defaultText { #expect(setting.accepts(text), "\(setting.name)") }
    }
  }

  @Test func namesAreUnique() {
    #expect(Set(SettingsTable.all.map(\.name)).count == SettingsTable.all.count)
  }

  @Test func nothingGivenIsTheDocumentedDefault() throws {
    let settings = try Settings.load(environment: [:]).settings
    #expect(settings.kafka.brokers == "localhost:9092")
    #expect(settings.kafka.orderTopics == ["delivery.orders"])
    #expect(settings.kafka.appTopics == [])
    #expect(settings.database.directURL.text == "postgresql://localhost/doorstep")
    #expect(settings.apns.apps == [])
    #expect(settings.apns.productionURL.address == Address(host: "api.push.apple.com", port: 443))
    #expect(settings.api.address == Address(host: "0.0.0.0", port: 8080))
    #expect(settings.mode == .on)
    #expect(settings.shutdownSeconds == 25)
  }

  @Test func aFlagBeatsTheEnvironmentBeatsTheFileBeatsTheDefault() throws {
    let name = SettingsTable.kafkaGroup.name
    func group(flags: [String: String], environment: [String: String], file: [String: String]) throws -> String {
      try Settings(SettingValues(flags: flags, environment: environment, file: file)).kafka.group
    }
    #expect(try group(flags: [name: "a"], environment: [name: "b"], file: [name: "c"]) == "a")
    #expect(try group(flags: [:], environment: [name: "b"], file: [name: "c"]) == "b")
    #expect(try group(flags: [:], environment: [name: ""], file: [name: "c"]) == "c")
    #expect(try group(flags: [:], environment: [:], file: [:]) == "doorstep")
  }

  @Test func anUnknownNameIsRefusedWithTheNearestOne() {
    #expect(
      problems(["DOORSTEP_KAFKA_BROKER": "x"]) == [
        .init(
          setting: "DOORSTEP_KAFKA_BROKER", problem: "is not a setting of Doorstep",
          expected: "perhaps DOORSTEP_KAFKA_BROKERS")
      ])
    #expect(problems(["PATH": "/bin", "KAFKA_BROKERS": "x"]) == [])
  }

  @Test func allProblemsAreToldAtOnceWithNameValueAndWhatWasExpected() {
    let found = problems(["DOORSTEP_API_ADDRESS": "8080", "DOORSTEP_DATABASE_POOL_SIZE": "0", "DOORSTEP_MODE": "half"])
    #expect(
      found.map(\.setting) == ["DOORSTEP_DATABASE_POOL_SIZE", "DOORSTEP_MODE", "DOORSTEP_API_ADDRESS"])
    #expect(
      ConfigurationError(found).description.hasPrefix(
        "DOORSTEP_DATABASE_POOL_SIZE cannot be '0'; expected an integer from 1 to 64\n"))
  }

  @Test func aWrongSecretIsNotRepeatedInTheError() {
    let found = problems(["DOORSTEP_DATABASE_URL": "hunter2"])
    #expect(found.count == 1)
    #expect(!"\(ConfigurationError(found))".contains("hunter2"))
  }

  @Test func aSecretMayComeFromAFile() throws {
    let path = "/tmp/doorstep-setting-\(getpid())"
    let file = try #require(fopen(path, "w"))
    fputs("postgresql://secret@db/x\n", file)
    fclose(file)
    defer { unlink(path) }
    let settings = try Settings.load(environment: ["DOORSTEP_DATABASE_URL_FILE": path]).settings
    #expect(settings.database.url.text == "postgresql://secret@db/x")
    #expect(
      problems(["DOORSTEP_DATABASE_URL_FILE": path, "DOORSTEP_DATABASE_URL": "postgresql://x/y"]).first?.problem
        == "is given twice")
    #expect(problems(["DOORSTEP_DATABASE_URL_FILE": path + ".none"]).first?.setting == "DOORSTEP_DATABASE_URL_FILE")
    #expect(problems(["DOORSTEP_KAFKA_GROUP_FILE": path]).first?.problem == "is not a setting of Doorstep")
  }

  @Test func printingRedactsSecrets() throws {
    let values = try SettingValues(environment: [
      "DOORSTEP_DATABASE_URL": "postgresql://user:hunter2@db/x", "DOORSTEP_KAFKA_PROPERTIES": "sasl.password=hunter2",
    ])
    let lines = values.redactedLines()
    #expect(lines.contains("DOORSTEP_DATABASE_URL=(secret)  # environment"))
    #expect(lines.contains("DOORSTEP_KAFKA_GROUP=doorstep  # default"))
    #expect(!lines.joined().contains("hunter2"))
    #expect(!"\(try Settings(values))".contains("hunter2"))
  }

  @Test func aSigningKeyIsGivenWhollyOrNotAtAll() throws {
    var environment = ["DOORSTEP_APNS_TEAM_ID": "T", "DOORSTEP_APNS_KEY_ID": "K", "DOORSTEP_APNS_KEY_FILE": "/k.p8"]
    #expect(problems(environment).map(\.setting) == ["DOORSTEP_APNS_BUNDLE_IDS"])
    environment["DOORSTEP_APNS_BUNDLE_IDS"] = "a.b, c.d"
    #expect(try Settings.load(environment: environment).settings.apns.apps.map(\.bundleIDs) == [["a.b", "c.d"]])
  }

  @Test func tlsNeedsBothFiles() {
    #expect(
      problems(["DOORSTEP_API_TLS_CERTIFICATE_FILE": "/c"]).map(\.setting) == ["DOORSTEP_API_TLS_PRIVATE_KEY_FILE"])
  }

  @Test(arguments: [
    ("https://127.0.0.1:8443", "https://localhost:8443", true), ("https://[::1]:8443", "https://127.9.9.9:1", true),
    ("https://127.0.0.1:8443", "https://api.sandbox.push.apple.com", false),
    ("https://127.0.0.1.example.org:8443", "https://localhost:8443", false),
  ])
  func theDemoClockNeedsLoopback(production: String, sandbox: String, isAllowed: Bool) {
    let environment = [
      "DOORSTEP_DEMO_CLOCK": "1767225600,60", "DOORSTEP_APNS_PRODUCTION_URL": production,
      "DOORSTEP_APNS_SANDBOX_URL": sandbox,
    ]
    #expect(problems(environment).isEmpty == isAllowed)
  }
}
