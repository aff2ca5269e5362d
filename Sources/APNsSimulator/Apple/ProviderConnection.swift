/// One provider connection as APNs sees it: what its first push bound it to, its errors, its stream limit
/// (docs/apns.md 1.10, 2.4).
public struct ProviderConnection: Sendable {
  public struct Limits: Sendable {
    /// Streams once a valid token was seen.
    public var streams = 500
    public var streamsBeforeFirstToken = 1
    /// Any 4xx but 410 lowers the limit to 1 until the next success.
    public var lowersAfterError = true
    /// Counted errors until GOAWAY.
    public var errorsMax = 100
    public var badDeviceTokenWeight = 5

    public init() {}
  }

  /// What the transport must do beside answering.
  public enum Effect: Equatable, Sendable {
    case streamLimit(Int)
    /// No new streams; `data` is the debug data.
    case goAway(data: [UInt8])
  }

  let environment: APNsEnvironment
  private let limits: Limits
  private var firstKey: ProviderKey?
  private var expired = false
  private var errors = 0
  private var limit: Int
  private var isClosing = false

  public init(environment: APNsEnvironment, limits: Limits = Limits()) {
    self.environment = environment
    self.limits = limits
    limit = limits.streamsBeforeFirstToken
  }

  public var streamLimit: Int { limit }

  /// Binds at the first push and holds later ones to it.
  mutating func admit(_ key: ProviderKey) throws(Refusal) {
    guard let firstKey else {
      self.firstKey = key
      return
    }
    guard key.teamID == firstKey.teamID else { throw Refusal(.invalidProviderToken, "another team on this connection") }
    guard key.mayShareConnection(with: firstKey) else {
      throw Refusal(.unrelatedKeyId, "the connection was opened with another key")
    }
  }

  /// Once a token expired here, the connection keeps failing.
  mutating func checkNotExpired() throws(Refusal) {
    if expired { throw Refusal(.expiredProviderToken, "this connection saw an expired token; open another") }
  }

  /// Counts an answer; says what follows from it.
  mutating func answered(_ status: Int, reason: Reason?) -> [Effect] {
    var effects: [Effect] = []
    if reason == .expiredProviderToken { expired = true }
    if status == 200 {
      set(limit: limits.streams, &effects)
    } else if (400..<500).contains(status) && status != 410 {
      errors += reason == .badDeviceToken ? limits.badDeviceTokenWeight : 1
      if limits.lowersAfterError { set(limit: 1, &effects) }
    }
    if errors >= limits.errorsMax && !isClosing {
      isClosing = true
      var text = JSONText()
      text.add("reason", (reason ?? .tooManyRequests).rawValue)
      effects.append(.goAway(data: text.closed()))
    }
    return effects
  }

  private mutating func set(limit new: Int, _ effects: inout [Effect]) {
    guard new != limit else { return }
    limit = new
    effects.append(.streamLimit(new))
  }
}
