import Domain

/// The whole configuration, typed and checked.
public struct Settings: Sendable {
  public struct Kafka: Sendable {
    public var brokers: String
    public var group: String
    public var orderTopics: [String]
    public var riderTopics: [String]
    public var appTopics: [String]
    public var deadLetterTopic: String
    public var properties: [SettingPair]
    public var mappingFile: String?
  }

  public struct Database: Sendable {
    public var url: Secret
    /// For what needs a session of its own.
    public var directURL: Secret
    public var poolSize: Int
  }

  /// One signing key and the apps it may push to.
  public struct App: Equatable, Sendable {
    public var teamID: String
    public var keyID: String
    public var keyFile: String
    public var bundleIDs: [String]
    /// nil follows the instance's mode.
    public var mode: Mode?

    public init(teamID: String, keyID: String, keyFile: String, bundleIDs: [String], mode: Mode? = nil) {
      self.teamID = teamID
      self.keyID = keyID
      self.keyFile = keyFile
      self.bundleIDs = bundleIDs
      self.mode = mode
    }
  }

  public struct APNs: Sendable {
    /// Empty when nothing was said about APNs: then nothing can be pushed.
    public var apps: [App]
    public var productionURL: Endpoint
    public var sandboxURL: Endpoint
    public var caFile: String?
    public var connections: Int
    public var proxy: Secret?
  }

  public struct API: Sendable {
    public var address: Address
    public var opsAddress: Address
    public var keysFile: String?
    public var jwtKeysFile: String?
    public var tls: TLSFiles?
  }

  public struct TLSFiles: Sendable {
    public var certificateFile: String
    public var privateKeyFile: String
  }

  public var kafka: Kafka
  public var database: Database
  public var apns: APNs
  public var api: API
  public var contentStateFile: String?
  public var policyFile: String?
  public var sealingKeysFile: String?
  public var mode: Mode
  public var cutover: Instant?
  public var demoClock: DemoClock?
  public var shutdownSeconds: Double
  public var logLevel: LogLevelSetting
  public var logFormat: LogFormatSetting

  /// - Parameter apps: the `apps:` list of the configuration file.
  public init(_ values: SettingValues, apps: [App] = []) throws(ConfigurationError) {
    typealias Table = SettingsTable
    kafka = Kafka(
      brokers: try values.required(Table.kafkaBrokers), group: try values.required(Table.kafkaGroup),
      orderTopics: try values.required(Table.kafkaOrderTopics),
      riderTopics: try values.required(Table.kafkaRiderTopics),
      appTopics: values.optional(Table.kafkaAppTopics) ?? [],
      deadLetterTopic: try values.required(Table.kafkaDeadLetterTopic),
      properties: values.optional(Table.kafkaProperties) ?? [], mappingFile: values.optional(Table.mapping))
    let url = try values.required(Table.databaseURL)
    database = Database(
      url: url, directURL: values.optional(Table.databaseDirectURL) ?? url,
      poolSize: try values.required(Table.databasePoolSize))
    apns = try Self.apns(values, apps: apps)
    api = API(
      address: try values.required(Table.apiAddress), opsAddress: try values.required(Table.opsAddress),
      keysFile: values.optional(Table.apiKeysFile), jwtKeysFile: values.optional(Table.jwtKeysFile),
      tls: try Self.tls(values))
    contentStateFile = values.optional(Table.contentState)
    policyFile = values.optional(Table.policy)
    sealingKeysFile = values.optional(Table.sealingKeysFile)
    mode = try values.required(Table.mode)
    cutover = values.optional(Table.cutover)
    demoClock = values.optional(Table.demoClock)
    shutdownSeconds = Double(try values.required(Table.shutdownSeconds))
    logLevel = try values.required(Table.logLevel)
    logFormat = try values.required(Table.logFormat)
    try checkDemoClock()
  }

  private static func apns(_ values: SettingValues, apps: [App]) throws(ConfigurationError) -> APNs {
    typealias Table = SettingsTable
    return APNs(
      apps: try self.apps(values, fromFile: apps), productionURL: try values.required(Table.apnsProductionURL),
      sandboxURL: try values.required(Table.apnsSandboxURL), caFile: values.optional(Table.apnsCAFile),
      connections: try values.required(Table.apnsConnections), proxy: values.optional(Table.apnsProxy))
  }

  /// The one app of the environment, or those of the file: all of a signing key's settings or none.
  private static func apps(_ values: SettingValues, fromFile apps: [App]) throws(ConfigurationError) -> [App] {
    typealias Table = SettingsTable
    let given = (
      values.optional(Table.apnsTeamID), values.optional(Table.apnsKeyID), values.optional(Table.apnsKeyFile),
      values.optional(Table.apnsBundleIDs)
    )
    if case (nil, nil, nil, nil) = given { return apps }
    guard apps.isEmpty else {
      throw ConfigurationError(
        setting: Table.apnsKeyID.name, problem: "and its kind are given beside an apps: list",
        expected: "either the DOORSTEP_APNS_ settings of one key or the list, not both")
    }
    return [
      App(
        teamID: try values.required(Table.apnsTeamID), keyID: try values.required(Table.apnsKeyID),
        keyFile: try values.required(Table.apnsKeyFile), bundleIDs: try values.required(Table.apnsBundleIDs))
    ]
  }

  private static func tls(_ values: SettingValues) throws(ConfigurationError) -> TLSFiles? {
    let certificate = values.optional(SettingsTable.apiTLSCertificateFile)
    let key = values.optional(SettingsTable.apiTLSPrivateKeyFile)
    if certificate == nil && key == nil { return nil }
    return TLSFiles(
      certificateFile: try values.required(SettingsTable.apiTLSCertificateFile),
      privateKeyFile: try values.required(SettingsTable.apiTLSPrivateKeyFile))
  }

  /// A scaled clock would send real phones nonsense: it needs both APNs URLs on this machine.
  private func checkDemoClock() throws(ConfigurationError) {
    guard demoClock != nil else { return }
    for (setting, url) in [
      (SettingsTable.apnsProductionURL, apns.productionURL), (SettingsTable.apnsSandboxURL, apns.sandboxURL),
    ] where !url.address.isLoopback {
      throw ConfigurationError(
        setting: SettingsTable.demoClock.name, problem: "is refused while \(setting.name) is \(url)",
        expected: "both APNs URLs on a loopback address, or no demo clock")
    }
  }
}

extension Settings {
  /// The configuration from all its sources, and the raw values that it was made of.
  /// - Parameters:
  ///   - flags, environment: values by the settings' full names.
  ///   - file: path of a configuration file; nil for none.
  public static func load(
    flags: [String: String] = [:], environment: [String: String], file: String? = nil
  ) throws(ConfigurationError) -> (settings: Settings, values: SettingValues) {
    var fileValues: [String: String] = [:]
    var apps: [App] = []
    if let file {
      let content = try ConfigurationFile(path: file)
      (fileValues, apps) = (content.values, content.apps)
    }
    let values = try SettingValues(flags: flags, environment: environment, file: fileValues)
    return (try Settings(values, apps: apps), values)
  }
}
