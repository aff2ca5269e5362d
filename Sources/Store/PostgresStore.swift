import Crypto
import Domain
import Postgres
import Service

/// The store ports on PostgreSQL. One session per duty, so that a slow registration never delays a settlement.
public final class PostgresStore: Sendable {
  let ingest: PostgresConnection
  let dispatch: PostgresConnection
  /// Each installation has its lane, so that its registrations come one after another and others' side by side.
  let registry: [PostgresConnection]
  let probe: PostgresConnection
  let scale: ClockScale
  let vault: TokenVault
  let consumerGroup: String

  /// - Parameters:
  ///   - url: a libpq connection string.
  ///   - consumerGroup: whose offsets are kept.
  ///   - connections: at most so many sessions; at least 4 are opened.
  public init(
    url: String, consumerGroup: String, vault: TokenVault = TokenVault(), scale: ClockScale = .real,
    connections: Int = 4, settings: PostgresSettings = PostgresSettings()
  ) {
    let connection = { (name: String) in PostgresConnection(url: url, name: name, settings: settings) }
    ingest = connection("pg-ingest")
    dispatch = connection("pg-dispatch")
    registry = (0..<max(connections - 3, 1)).map { connection("pg-registry-\($0)") }
    probe = connection("pg-probe")
    self.consumerGroup = consumerGroup
    self.vault = vault
    self.scale = scale
  }

  public func close() async {
    for connection in [ingest, dispatch, probe] + registry { await connection.close() }
  }

  func registry(for installation: InstallationID) -> PostgresConnection {
    registry[Int(Shards.shard(of: installation)) % registry.count]
  }

  /// Returns when the database answers.
  public func ping() async throws {
    try await Self.guarding { _ = try await probe.run(Call(Statement("ping", "select 1"))) }
  }

  /// Translates what PostgreSQL says into what the use cases act on (rule 1.10).
  public static func guarding<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as PostgresError {
      switch error.verdict {
      case .retry: throw StoreUnavailable(error.description)
      case .refused: throw StoreRefused(error.message, sqlState: error.sqlState)
      case .bug: throw error
      }
    }
  }
}

/// How business time follows the database's clock (docs/delivery-semantics.md 2): origin + (clock - origin) x factor.
public struct ClockScale: Equatable, Sendable {
  /// Unix seconds.
  public var origin: Double
  public var factor: Double

  public static let real = ClockScale(origin: 0, factor: 1)

  public init(origin: Double, factor: Double) {
    self.origin = origin
    self.factor = factor
  }
}

/// What tokens look like at rest: sealed where keys are configured, and found by hash either way.
public struct TokenVault: Sendable {
  private let keys: SealingKeys?

  public init(keys: SealingKeys? = nil) { self.keys = keys }

  func seal(_ token: PushToken) throws -> [UInt8] {
    guard let keys else { return token.bytes }
    return try keys.seal(token.bytes, context: Self.context)
  }

  /// nil when no key opens it: the token counts as lost until the app reports it again.
  func open(_ stored: [UInt8]) -> PushToken? {
    guard let keys else { return PushToken(bytes: stored) }
    return (try? keys.open(stored, context: Self.context)).flatMap { PushToken(bytes: $0) }
  }

  func sealSecret(_ secret: String) throws -> [UInt8] {
    guard let keys else { return Array(secret.utf8) }
    return try keys.seal(Array(secret.utf8), context: Self.secretContext)
  }

  func openSecret(_ stored: [UInt8]) -> String? {
    guard let keys else { return String(decoding: stored, as: UTF8.self) }
    return (try? keys.open(stored, context: Self.secretContext)).map { String(decoding: $0, as: UTF8.self) }
  }

  func hash(_ token: PushToken) -> [UInt8] { sha256(token.bytes) }

  private static let context = Array("push token".utf8)
  private static let secretContext = Array("provider token".utf8)
}

extension Instant {
  init?(column: Int64?) {
    guard let column else { return nil }
    self.init(microseconds: column)
  }
}
