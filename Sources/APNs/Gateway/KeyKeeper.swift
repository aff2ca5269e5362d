import Crypto
import Runtime
import Service

/// Keeps the provider token of one signing key fresh in all its pools, and reads the key file anew when asked.
final class KeyKeeper: Sendable {
  /// How long after a failure the store is asked again.
  static let retrySeconds = 5.0

  private struct State {
    var key: ProviderKey
    var token: ProviderToken?
    /// Monotonic seconds.
    var refreshAt = -Double.infinity
    var rejected: ProviderToken?
    var mustReload = false
  }

  let configuration: APNsConfiguration.Key
  private let state: Lock<State>
  private let pools = Lock<[PushPool]>([])
  private let store: any ProviderTokenStore
  private let observer: any APNsObserver
  private let refreshAgeSeconds: Int64
  private let news: TimedSignal

  /// - Parameter news: raised when there is something to do before `nextLook`.
  init(
    _ configuration: APNsConfiguration.Key, store: any ProviderTokenStore, observer: any APNsObserver, seed: UInt64,
    news: TimedSignal
  ) throws(CryptoError) {
    self.configuration = configuration
    self.store = store
    self.observer = observer
    self.news = news
    state = Lock(State(key: try Self.load(configuration)))
    var random = SplitMix64(seed: seed)
    refreshAgeSeconds = Int64.random(
      in: ProviderTokenRules.refreshAgeMinSeconds...ProviderTokenRules.refreshAgeMaxSeconds, using: &random)
  }

  private static func load(_ configuration: APNsConfiguration.Key) throws(CryptoError) -> ProviderKey {
    try ProviderKey(
      teamID: configuration.teamID, keyID: configuration.keyID, signingKey: SigningKey(file: configuration.file))
  }

  func add(_ pool: PushPool) { pools.withLock { $0.append(pool) } }

  func forgetPools() { pools.withLock { $0 = [] } }

  /// APNs refused this token; called on a pool's thread.
  func renew(_ cause: PushPool.Renewal, _ token: ProviderToken) {
    state.withLock {
      $0.rejected = token
      $0.refreshAt = -.infinity
      if cause == .invalid { $0.mustReload = true }
    }
    news.raise()
  }

  /// Reads the key file now. A file that cannot be used changes nothing.
  ///
  /// - Returns: whether it holds another key than before.
  @discardableResult
  func reload() throws(CryptoError) -> Bool {
    let key = try Self.load(configuration)
    let changed = state.withLock { state -> Bool in
      guard key.id != state.key.id else { return false }
      state.key = key
      state.refreshAt = -.infinity
      return true
    }
    if changed { news.raise() }
    return changed
  }

  /// Gets a token where one is due.
  ///
  /// - Returns: seconds until it wants to be called again.
  func look() async -> Double {
    let (refreshAt, mustReload) = state.withLock { state -> (Double, Bool) in
      defer { state.mustReload = false }
      return (state.refreshAt, state.mustReload)
    }
    guard refreshAt <= MonotonicClock.now else { return refreshAt - MonotonicClock.now }
    if mustReload {
      do throws(CryptoError) { try reload() } catch {
        observer.providerTokenFailed(error.description, keyID: configuration.keyID)
      }
    }
    return await refresh()
  }

  private func refresh() async -> Double {
    let (key, held, rejected) = state.withLock { ($0.key, $0.token, $0.rejected) }
    do {
      let (token, age) = try await store.token(
        for: key.id, refreshAgeSeconds: refreshAgeSeconds, rejected: rejected, mint: { try key.mint(nowSeconds: $0) })
      let wait = state.withLock { state -> Double in
        // What came up while the store was asked is looked at in the next round.
        guard state.key.id == key.id, state.rejected == rejected else { return 0 }
        let wait = max(1, Double(refreshAgeSeconds - age))
        state.token = token
        state.rejected = nil
        state.refreshAt = MonotonicClock.now + wait
        return wait
      }
      handOut(token, age: age, isRefused: token == rejected, replaces: rejected != nil && held != nil)
      return wait
    } catch {
      observer.providerTokenFailed("\(error)", keyID: configuration.keyID)
      state.withLock { $0.refreshAt = MonotonicClock.now + Self.retrySeconds }
      return Self.retrySeconds
    }
  }

  private func handOut(_ token: ProviderToken, age: Int64, isRefused: Bool, replaces: Bool) {
    for pool in pools.withLock({ $0 }) {
      if isRefused {
        // Refused while it is too young to be replaced: the fault is a clock, or the key, but not its age.
        pool.keepProviderToken(cause: .providerTokenRefused)
      } else {
        pool.setProviderToken(token, ageSeconds: age, replacesConnections: replaces)
      }
    }
  }
}
