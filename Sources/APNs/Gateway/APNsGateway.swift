import Crypto
import Domain
import HTTP2
import Runtime
import Service

/// The way to APNs for all apps, keys and environments of this process.
public final class APNsGateway: PushGateway, ManagedService {
  public let name = "apns"
  private let pools: [PushLane: PushPool]
  private let directory: LaneDirectory
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
    var builder = try GatewayBuilder(configuration, observer: observer, resolver: resolver)
    for (bundleID, keys) in configuration.apps.sorted(by: { $0.key < $1.key }) {
      for key in keys { try builder.add(bundleID, key, tokenStore: tokenStore) }
    }
    pools = builder.byLane
    directory = builder.directory
    directory.pools.withLock { $0 = builder.byLane }
    distinctPools = Array(builder.byKey.values)
    keepers = Array(builder.keepers.values)
    news = builder.news
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

  /// Opens the first connections and gets the provider tokens, which it keeps fresh from then on. Does not wait for
  /// APNs; a token that cannot be had yet is asked for again.
  public func start() async throws {
    for pool in distinctPools { pool.open() }
    for keeper in keepers { _ = await keeper.look() }
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
    // Pools, keepers and the directory know each other: part them, or they keep each other alive.
    directory.pools.withLock { $0 = [:] }
    for keeper in keepers { keeper.forgetPools() }
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
