import API
import APNs
import Codecs
import Configuration
import Crypto
import Domain
import Glibc
import HTTPServer
import Kafka
import Observability
import Postgres
import Runtime
import Service
import Store

/// What every role shares: clock, logs, metrics, probes, database.
struct Parts: Sendable {
  let settings: Settings
  let clock: SystemClock
  let logger: Logger
  let metrics = Metrics(version: Doorstep.version)
  let health = Health()
  let inbox: LockedInbox
  let rollout: RolloutBoard
  let store: PostgresStore
  /// For server-sent events: hears of changed orders as the dispatcher does.
  let snapshots: SnapshotFeed
  let observer: MeteringObserver

  init(settings: Settings) throws {
    try Self.refuseUnsupported(settings)
    self.settings = settings
    logger = Logger(
      level: LogLevel(name: settings.logLevel.rawValue) ?? .info,
      format: LogFormat(rawValue: settings.logFormat.rawValue) ?? .json)
    var scale = ClockScale.real
    if let demo = settings.demoClock { scale = ClockScale(origin: demo.originSeconds, factor: demo.factor) }
    clock = SystemClock(
      origin: Instant(microseconds: 0).advanced(by: scale.origin), factor: scale.factor)
    inbox = LockedInbox(clock: clock)
    rollout = RolloutBoard(Self.rollout(settings))
    var session = PostgresSettings()
    // A direct way of its own means that the other way leads through a pooler.
    session.isPooled = settings.database.directURL.text != settings.database.url.text
    store = PostgresStore(
      url: settings.database.url.text, consumerGroup: settings.kafka.group,
      vault: TokenVault(keys: try Self.sealingKeys(settings)), scale: scale,
      connections: settings.database.poolSize, settings: session)
    snapshots = SnapshotFeed(registry: Registry(store: store, waker: inbox, clock: clock))
    observer = MeteringObserver(
      metrics: metrics, logger: logger,
      heartbeats: [
        .ingest: health.heartbeat("ingest", ageSecondsMax: Self.turnSecondsMax),
        .dispatch: health.heartbeat("dispatch", ageSecondsMax: Self.turnSecondsMax),
      ])
  }

  /// A setting that nothing honours yet must not be taken for one that works.
  private static func refuseUnsupported(_ settings: Settings) throws(ConfigurationError) {
    let given = [
      ("DOORSTEP_CONTENT_STATE", settings.contentStateFile, "the built-in shape"),
      ("DOORSTEP_POLICY", settings.policyFile, "the built-in policy"),
      ("DOORSTEP_KAFKA_APP_TOPICS", settings.kafka.appTopics.first, "registrations over the HTTP API"),
    ]
    for (name, value, instead) in given where value != nil {
      throw ConfigurationError(
        setting: name, problem: "is not supported by this version", expected: "no value: there is only \(instead)")
    }
  }

  /// A turn may wait for a statement's own limit and be tried again; a loop that is silent for longer has stopped.
  static let turnSecondsMax = 60.0

  /// What counts until an operator changes it.
  private static func rollout(_ settings: Settings) -> Rollout {
    var rollout = Rollout(mode: Rollout.Mode(settings.mode.description) ?? .on)
    for app in settings.apns.apps {
      guard let mode = app.mode.flatMap({ Rollout.Mode($0.description) }) else { continue }
      for bundleID in app.bundleIDs { rollout.appModes[bundleID] = mode }
    }
    return rollout
  }

  private static func sealingKeys(_ settings: Settings) throws -> SealingKeys? {
    guard let file = settings.sealingKeysFile else { return nil }
    return try SealingKeys(text: String(decoding: try SecretFile.read(file), as: UTF8.self), source: file)
  }
}

extension Parts {
  /// Names this process in the shard rows.
  var owner: String { "doorstep-\(getpid())" }
}

/// Each part of the service, made from the settings: the wires of the house.
extension Parts {
  /// Consumes the platform's topics.
  func ingest() throws -> IngestService {
    let condition = health.condition("kafka", isRequired: false)
    let observer = MeteringKafkaObserver(logger: logger, condition: condition)
    let properties = try KafkaProperties(settings.kafka)
    let store = store
    let consumer = try KafkaConsumer(
      brokers: settings.kafka.brokers, group: settings.kafka.group,
      topics: settings.kafka.orderTopics + settings.kafka.riderTopics, properties: properties, observer: observer
    ) { _ in
      let offsets = try await store.nextOffsets()
      return Dictionary(
        uniqueKeysWithValues: offsets.map { (KafkaPartition(topic: $0.topic, partition: $0.partition), $1) })
    }
    let producer = try KafkaProducer(brokers: settings.kafka.brokers, properties: properties, observer: observer)
    let letters = KafkaDeadLetters(
      producer: producer, topic: settings.kafka.deadLetterTopic, group: settings.kafka.group)
    var limits = IngestSettings(riderTopics: Set(settings.kafka.riderTopics))
    limits.cutover = settings.cutover
    let ingest = Ingest(
      source: KafkaRecordSource(consumer: consumer, clock: clock), deadLetters: letters, store: store,
      waker: Tee(first: inbox, second: snapshots), clock: clock, decoder: EventDecoder(mapping: try Mapping(settings)),
      estimator: Estimator(), settings: limits, observer: self.observer)
    return IngestService(ingest: ingest, consumer: consumer, producer: producer, parts: self)
  }

  func gateway() throws -> APNsGateway {
    var apps: [String: [APNsConfiguration.Key]] = [:]
    for app in settings.apns.apps {
      for bundleID in app.bundleIDs {
        apps[bundleID, default: []].append(.init(teamID: app.teamID, keyID: app.keyID, file: app.keyFile))
      }
    }
    var configuration = APNsConfiguration(apps: apps)
    configuration.productionURL = "\(settings.apns.productionURL)"
    configuration.sandboxURL = "\(settings.apns.sandboxURL)"
    configuration.caFile = settings.apns.caFile
    configuration.proxy = settings.apns.proxy?.text
    configuration.connectionsMin = settings.apns.connections
    configuration.connectionsMax = max(settings.apns.connections, configuration.connectionsMax)
    let observer = MeteringAPNsObserver(
      metrics: metrics, logger: logger, condition: health.condition("apns", isRequired: false))
    return try APNsGateway(configuration, tokenStore: store, observer: observer)
  }

  func dispatcher(through gateway: APNsGateway) -> DispatchService {
    var limits = DispatchSettings()
    limits.rollout = rollout
    let dispatcher = Dispatcher(
      store: store, gateway: gateway, inbox: inbox, clock: clock, policy: DispatchPolicy(), payloads: PayloadBuilder(),
      settings: limits, observer: observer)
    return DispatchService(dispatcher: dispatcher, parts: self)
  }

  /// The keys of callers, read from their files now.
  func authenticationKeys() throws -> AuthenticationKeys {
    var keys = AuthenticationKeys(serviceKeys: ServiceKeys())
    if let file = settings.api.keysFile { keys.serviceKeys = try ServiceKeys(file: file) }
    if let file = settings.api.jwtKeysFile {
      keys.userTokens = JWTVerifier(try JSONWebKeySet(try SecretFile.read(file), source: file))
    }
    return keys
  }

  func api() throws -> APIServer {
    var options = HTTPServerOptions(host: settings.api.address.host, port: settings.api.address.port)
    if let tls = settings.api.tls {
      options.tls = TLSCertificate(
        chain: String(decoding: try SecretFile.read(tls.certificateFile), as: UTF8.self),
        privateKey: String(decoding: try SecretFile.read(tls.privateKeyFile), as: UTF8.self))
    }
    return APIServer(
      options: options, services: apiServices, keys: try authenticationKeys(), logger: logger, metrics: metrics)
  }

  private var apiServices: APIServices {
    let registry = Registry(store: store, waker: inbox, clock: clock)
    return APIServices(
      registry: registry,
      reconciliation: Reconciliation(
        registry: store, dispatch: store, administration: store, waker: inbox, clock: clock),
      administration: administration, explainer: Explainer(deliveries: store, dispatch: store, clock: clock),
      rollout: rollout, snapshots: snapshots, clock: clock)
  }

  private var administration: Administration {
    Administration(store: store, deliveries: store, waker: inbox, clock: clock)
  }

  /// Follows the mode that operators set, also through other replicas.
  func rolloutWatch() -> Loop {
    let (rollout, administration, clock) = (rollout, administration, clock)
    return Loop(name: "rollout") {
      while !Task.isCancelled {
        // While the database is away the mode stays as it is; the database's own condition says so.
        try? await rollout.refresh(from: administration)
        await clock.pause(seconds: Self.rolloutSeconds)
      }
    } failed: { _ in
    }
  }

  static let rolloutSeconds = 5.0

  func ops() -> OpsServer {
    OpsServer(
      options: HTTPServerOptions(host: settings.api.opsAddress.host, port: settings.api.opsAddress.port),
      health: health, metrics: metrics, logger: logger)
  }
}
