import Crypto
import Domain
import HTTP2
import Runtime
import Service

/// Makes the pools that a configuration asks for: one a key and environment, shared by the apps that use it.
struct GatewayBuilder {
  struct PoolKey: Hashable {
    var key: APNsConfiguration.Key
    var environment: PushEnvironment
  }

  private let configuration: APNsConfiguration
  private let observer: any APNsObserver
  private let resolver: any NameResolver
  private let tls: TLSContext
  private var random: SplitMix64
  let news = TimedSignal()
  let directory = LaneDirectory()
  private(set) var keepers: [APNsConfiguration.Key: KeyKeeper] = [:]
  private(set) var byKey: [PoolKey: PushPool] = [:]
  private(set) var byLane: [PushLane: PushPool] = [:]

  init(_ configuration: APNsConfiguration, observer: any APNsObserver, resolver: any NameResolver) throws {
    self.configuration = configuration
    self.observer = observer
    self.resolver = resolver
    random = SplitMix64(seed: try randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) })
    tls = try TLSContext.client(trust: configuration.caFile.map { .file($0) } ?? .system)
  }

  mutating func add(_ bundleID: String, _ key: APNsConfiguration.Key, tokenStore: any ProviderTokenStore) throws {
    let keeper =
      try keepers[key] ?? KeyKeeper(key, store: tokenStore, observer: observer, seed: random.next(), news: news)
    keepers[key] = keeper
    for environment in key.environments {
      let poolKey = PoolKey(key: key, environment: environment)
      let pool = try byKey[poolKey] ?? makePool(poolKey, keeper: keeper)
      byKey[poolKey] = pool
      byLane[PushLane(bundleID: bundleID, environment: environment)] = pool
    }
  }

  private mutating func makePool(_ key: PoolKey, keeper: KeyKeeper) throws -> PushPool {
    let settings = PushPool.Settings(
      keyID: key.key.keyID, environment: key.environment, connection: try connectionSettings(key.environment),
      connectionsMin: configuration.connectionsMin, connectionsMax: configuration.connectionsMax, seed: random.next())
    let loop = try EventLoop(name: "apns-\(key.environment.rawValue)")
    let pool = PushPool(
      settings, loop: loop, observer: observer, renew: { keeper.renew($0, $1) },
      sendElsewhere: { [directory] in directory.sendElsewhere($0, answersTo: $1) })
    keeper.add(pool)
    return pool
  }

  private func connectionSettings(_ environment: PushEnvironment) throws -> HTTP2ConnectionSettings {
    let endpoint = try Endpoint(url: configuration.url(of: environment))
    var settings = HTTP2ConnectionSettings(host: endpoint.host, port: endpoint.port, tls: tls)
    if let proxy = configuration.proxy {
      let endpoint = try Endpoint(address: proxy)
      settings.proxy = HTTP2ConnectionSettings.Proxy(host: endpoint.host, port: endpoint.port)
    }
    settings.responseFields = ["retry-after"]
    settings.resolver = resolver
    return settings
  }
}

/// Finds the pool of another lane, for a pool that was given a push of the wrong environment.
final class LaneDirectory: Sendable {
  let pools = Lock<[PushLane: PushPool]>([:])

  /// Hands the push to its app's other environment, where it is not moved again. False when there is none.
  func sendElsewhere(_ push: Push, answersTo sink: any PushAnswerSink) -> Bool {
    var push = push
    push.environmentIsInferred = false
    push.lane.environment = push.lane.environment == .production ? .sandbox : .production
    guard let pool = pools.withLock({ $0[push.lane] }) else { return false }
    pool.send([push], answersTo: sink)
    return true
  }
}
