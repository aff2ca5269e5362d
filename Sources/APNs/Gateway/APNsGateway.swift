import Crypto
import Domain
import HTTP2
import Runtime
import Service

/// The way to APNs for all apps, keys and environments of this process.
public final class APNsGateway: PushGateway, ManagedService {
  public let name = "apns"
  private let pools: [PushLane: PushPool]
  private let distinctPools: [PushPool]
  private let keepers: [KeyKeeper]
  private let news: TimedSignal
  private let upkeep = Lock<Task<Void, Never>?>(nil)

  /// Reads the key files and the CA file; opens nothing yet.
  ///
  /// - Parameters:
  ///   - tokenStore: shares provider tokens among replicas; its clock dates them.
  ///   - resolver: asked anew for each connection.
  /// - Throws: `APNsConfigurationError`, `CryptoError` that names the key file, `HTTP2Failure` that names the CA file.
  public init(
    _ configuration: APNsConfiguration, tokenStore: any ProviderTokenStore,
    observer: any APNsObserver = SilentAPNsObserver(), resolver: any NameResolver = SystemResolver()
  ) throws {
    try configuration.validate()
    var random = SplitMix64(seed: try randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) })
    let tls = try TLSContext.client(trust: configuration.caFile.map { .file($0) } ?? .system)
    news = TimedSignal()
    var keepers: [APNsConfiguration.Key: KeyKeeper] = [:]
    var byKey: [PoolKey: PushPool] = [:]
    var byLane: [PushLane: PushPool] = [:]
    for (bundleID, keys) in configuration.apps.sorted(by: { $0.key < $1.key }) {
      for key in keys {
        let keeper =
          try keepers[key]
          ?? KeyKeeper(key, store: tokenStore, observer: observer, seed: random.next(), news: news)
        keepers[key] = keeper
        for environment in key.environments {
          let poolKey = PoolKey(key: key, environment: environment)
          if byKey[poolKey] == nil {
            var connection = try Self.connection(to: environment, configuration, tls: tls)
            connection.resolver = resolver
            let settings = PushPool.Settings(
              keyID: key.keyID, environment: environment, connection: connection,
              connectionsMin: configuration.connectionsMin, connectionsMax: configuration.connectionsMax,
              seed: random.next())
            let loop = try EventLoop(name: "apns-\(environment.rawValue)")
            let pool = PushPool(settings, loop: loop, observer: observer) { keeper.renew($0, $1) }
            keeper.add(pool)
            byKey[poolKey] = pool
          }
          byLane[PushLane(bundleID: bundleID, environment: environment)] = byKey[poolKey]
        }
      }
    }
    pools = byLane
    distinctPools = Array(byKey.values)
    self.keepers = Array(keepers.values)
  }

  private struct PoolKey: Hashable {
    var key: APNsConfiguration.Key
    var environment: PushEnvironment
  }

  private static func connection(
    to environment: PushEnvironment, _ configuration: APNsConfiguration, tls: TLSContext
  ) throws -> HTTP2ConnectionSettings {
    let endpoint = try Endpoint(url: configuration.url(of: environment))
    var settings = HTTP2ConnectionSettings(host: endpoint.host, port: endpoint.port, tls: tls)
    if let proxy = configuration.proxy {
      let endpoint = try Endpoint(address: proxy)
      settings.proxy = HTTP2ConnectionSettings.Proxy(host: endpoint.host, port: endpoint.port)
    }
    settings.responseFields = ["retry-after"]
    return settings
  }

  // MARK: PushGateway

  public func credits(for lane: PushLane) -> Int { pools[lane]?.credits.available(to: lane.bundleID) ?? 0 }

  /// A push of an app or environment that is not configured is answered `rejected` at once.
  public func send(_ pushes: [Push], answersTo sink: any PushAnswerSink) {
    guard let first = pushes.first else { return }
    if pushes.allSatisfy({ $0.lane == first.lane }) { return send(pushes, on: first.lane, sink) }
    for (lane, pushes) in Dictionary(grouping: pushes, by: \.lane) { send(pushes, on: lane, sink) }
  }

  private func send(_ pushes: [Push], on lane: PushLane, _ sink: any PushAnswerSink) {
    if let pool = pools[lane] { return pool.send(pushes, answersTo: sink) }
    sink.answered(pushes.map { PushAnswer(ticket: $0.ticket, outcome: .rejected, reason: "NoKeyForApp") })
  }

  // MARK: Life

  /// Opens the first connections and begins to keep the provider tokens. Does not wait for APNs.
  public func start() async throws {
    for pool in distinctPools { pool.open() }
    let task = Task { [keepers, news] in
      while !Task.isCancelled {
        var wait = Double.infinity
        for keeper in keepers { wait = min(wait, await keeper.look()) }
        await news.wait(seconds: wait)
      }
    }
    upkeep.withLock { $0 = task }
  }

  /// Answers what has not left, waits for the answers of what has, and closes all connections.
  public func drain() async {
    upkeep.withLock { $0 }?.cancel()
    await withTaskGroup(of: Void.self) { group in
      for pool in distinctPools { group.addTask { await pool.drain() } }
    }
  }

  /// Reads all key files anew, without dropping work. Files that cannot be used leave the keys as they are.
  ///
  /// - Throws: the first error, which names its file; the other keys are reloaded all the same.
  public func reloadKeys() throws(CryptoError) {
    var failure: CryptoError?
    for keeper in keepers {
      do throws(CryptoError) { try keeper.reload() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
