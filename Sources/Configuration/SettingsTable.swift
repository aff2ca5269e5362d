import Domain

/// Every setting there is. Parsing, validation, printing and docs/configuration.md all come from here.
public enum SettingsTable {
  public static let kafkaBrokers = Setting(
    "DOORSTEP_KAFKA_BROKERS", .text, default: "localhost:9092", "Bootstrap servers, `host:port,...`.")
  public static let kafkaGroup = Setting("DOORSTEP_KAFKA_GROUP", .text, default: "doorstep", "Consumer group.")
  public static let kafkaOrderTopics = Setting(
    "DOORSTEP_KAFKA_ORDER_TOPICS", .list, default: "delivery.orders", "Topics with order events.")
  public static let kafkaRiderTopics = Setting(
    "DOORSTEP_KAFKA_RIDER_TOPICS", .list, default: "delivery.riders", "Topics with rider events.")
  public static let kafkaAppTopics = Setting(
    "DOORSTEP_KAFKA_APP_TOPICS", .list, "Topics with registrations and app reports, when they come through Kafka.")
  public static let kafkaDeadLetterTopic = Setting(
    "DOORSTEP_KAFKA_DEAD_LETTER_TOPIC", .text, default: "doorstep.dead-letters", "Where refused records go.")
  public static let kafkaProperties = Setting(
    "DOORSTEP_KAFKA_PROPERTIES", .pairs, isSecret: true, "Handed to librdkafka: SASL, TLS, tuning.")
  public static let mapping = Setting(
    "DOORSTEP_MAPPING", .path, "Mapping file for topics of your own form; without it CloudEvents are read.")

  public static let databaseURL = Setting(
    "DOORSTEP_DATABASE_URL", .databaseURL, default: "postgresql://localhost/doorstep", isSecret: true,
    "libpq connection string; may lead through a transaction-pooling pgbouncer.")
  public static let databaseDirectURL = Setting(
    "DOORSTEP_DATABASE_DIRECT_URL", .databaseURL, isSecret: true,
    "For what needs a session of its own (locks, LISTEN, migrate); without it `DOORSTEP_DATABASE_URL`.")
  public static let databasePoolSize = Setting(
    "DOORSTEP_DATABASE_POOL_SIZE", .integer(1...64), default: "4", "Connections to the database.")

  public static let apnsTeamID = Setting("DOORSTEP_APNS_TEAM_ID", .text, "Apple developer team. Required to push.")
  public static let apnsKeyID = Setting("DOORSTEP_APNS_KEY_ID", .text, "Id of the signing key. Required to push.")
  public static let apnsKeyFile = Setting(
    "DOORSTEP_APNS_KEY_FILE", .path, "The signing key's `.p8` file. Required to push.")
  public static let apnsBundleIDs = Setting(
    "DOORSTEP_APNS_BUNDLE_IDS", .list, "Bundle ids of the apps this instance may push to. Required to push.")
  public static let apnsProductionURL = Setting(
    "DOORSTEP_APNS_PRODUCTION_URL", .endpoint, default: "https://api.push.apple.com", "APNs, or a simulator of it.")
  public static let apnsSandboxURL = Setting(
    "DOORSTEP_APNS_SANDBOX_URL", .endpoint, default: "https://api.sandbox.push.apple.com",
    "APNs for development builds.")
  public static let apnsCAFile = Setting(
    "DOORSTEP_APNS_CA_FILE", .path, "Extra trust anchor for the APNs URLs, as PEM; without it the system's store.")
  public static let apnsConnections = Setting(
    "DOORSTEP_APNS_CONNECTIONS", .integer(1...8), default: "2",
    "Connections per signing key and environment; grows under load up to 8.")
  public static let apnsProxy = Setting(
    "DOORSTEP_APNS_PROXY", .proxyURL, isSecret: true, "CONNECT proxy on the way to APNs.")

  public static let contentState = Setting(
    "DOORSTEP_CONTENT_STATE", .path, "Shape file for an app's own ContentState; without it the built-in shape.")
  public static let policy = Setting(
    "DOORSTEP_POLICY", .path, "Policy file: what is announced when; without it the built-in policy.")
  public static let mode = Setting(
    "DOORSTEP_MODE", .mode, default: "on",
    "`off`, `shadow` (decide and record, push nothing), `allow-list`, `percent:N` of users, or `on`.")

  public static let cutover = Setting(
    "DOORSTEP_CUTOVER", .dateTime,
    "Events before it change state only, start and ring nothing: for the first day beside an existing sender.")

  public static let apiAddress = Setting(
    "DOORSTEP_API_ADDRESS", .address, default: "0.0.0.0:8080", "Where apps and operators call.")
  public static let opsAddress = Setting(
    "DOORSTEP_OPS_ADDRESS", .address, default: "0.0.0.0:8081", "Probes and metrics only.")
  public static let apiKeysFile = Setting(
    "DOORSTEP_API_KEYS_FILE", .path, "Service keys with their scopes, hashed (docs/api.md).")
  public static let jwtKeysFile = Setting(
    "DOORSTEP_JWT_KEYS_FILE", .path, "JWK set that verifies app users' tokens (HS256, ES256, RS256; `sub` = user).")
  public static let sealingKeysFile = Setting(
    "DOORSTEP_SEALING_KEYS_FILE", .path, "Keys that seal push tokens at rest, newest first.")
  public static let apiTLSCertificateFile = Setting(
    "DOORSTEP_API_TLS_CERTIFICATE_FILE", .path, "Certificate chain as PEM; makes the API speak TLS.")
  public static let apiTLSPrivateKeyFile = Setting(
    "DOORSTEP_API_TLS_PRIVATE_KEY_FILE", .path, "The certificate's private key as PEM.")

  public static let demoClock = Setting(
    "DOORSTEP_DEMO_CLOCK", .demoClock,
    "Scaled clock for demos; refused unless both APNs URLs are on this machine.")
  public static let shutdownSeconds = Setting(
    "DOORSTEP_SHUTDOWN_SECONDS", .integer(1...600), default: "25", "How long a drain may take.")
  public static let logLevel = Setting<LogLevelSetting>(
    "DOORSTEP_LOG_LEVEL", .word, default: "info", "The least severe lines that are written.")
  public static let logFormat = Setting<LogFormatSetting>(
    "DOORSTEP_LOG_FORMAT", .word, default: "json", "`json` lines, or `text` for people.")

  /// In the order of the documentation.
  public static let all: [any AnySetting] = [
    kafkaBrokers, kafkaGroup, kafkaOrderTopics, kafkaRiderTopics, kafkaAppTopics, kafkaDeadLetterTopic,
    kafkaProperties, mapping, databaseURL, databaseDirectURL, databasePoolSize, apnsTeamID, apnsKeyID, apnsKeyFile,
    apnsBundleIDs, apnsProductionURL, apnsSandboxURL, apnsCAFile, apnsConnections, apnsProxy, contentState, policy,
    mode, cutover, apiAddress, opsAddress, apiKeysFile, jwtKeysFile, sealingKeysFile, apiTLSCertificateFile,
    apiTLSPrivateKeyFile, demoClock, shutdownSeconds, logLevel, logFormat,
  ]
}

public enum LogLevelSetting: String, CaseIterable, Sendable { case debug, info, warning, error }
public enum LogFormatSetting: String, CaseIterable, Sendable { case json, text }
