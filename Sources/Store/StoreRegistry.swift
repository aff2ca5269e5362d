import Codecs
import Domain
import Postgres
import Service

extension PostgresStore: RegistryStore {
  static let installationsPerUserMax = 20
  static let cardsPerOrderAndPhoneMax = 20

  public func owner(of installation: InstallationID) async throws -> InstallationOwner? {
    try await Self.guarding {
      let rows = try await registry(for: installation).run(Call(SQL.readOwner, [.text(installation.text)]))
      guard rows.count > 0 else { return nil }
      return InstallationOwner(user: rows.text(0, 0).map { UserID($0) }, credentialHash: rows.bytes(0, 1))
    }
  }

  public func register(
    _ report: InstallationReport, credentialHash: [UInt8]?, now: Instant
  ) async throws -> RegistrationOutcome {
    let tokens = try TokenWrites(report, vault: vault)
    return try await Self.guarding {
      try await registry(for: report.id).transaction { (scope: TransactionScope) in
        try RegistrationTransaction(scope: scope, report: report, tokens: tokens, now: now)
          .run(credentialHash: credentialHash)
      }
    }
  }

  public func report(_ report: ActivityReport, now: Instant) async throws -> ActivityOutcome {
    let token = try report.updateToken.map { try (sealed: vault.seal($0), hash: vault.hash($0)) }
    do {
      return try await Self.guarding {
        try await registry(for: report.installation).transaction { (scope: TransactionScope) in
          try ActivityTransaction(scope: scope, report: report, token: token, now: now).run()
        }
      }
    } catch is UnknownInstallation { return .unknownInstallation }
  }

  public func claimStartIntent(
    order: OrderID, installation: InstallationID, until: Instant, now: Instant
  ) async throws -> Bool {
    try await Self.guarding {
      try await registry(for: installation).transaction { (scope: TransactionScope) in
        // The phone's row decides between this intent and a push start being reserved at the same time.
        _ = try scope.run(Call(SQL.bumpRegistration, [.text(installation.text)]))
        let pair: [Parameter] = [.text(order.text), .text(installation.text)]
        let rows = try scope.run(Call(SQL.pushStartClaimed, pair))
        let isClaimed = rows.count > 0 && rows.bool(0, 0) == true
        if !isClaimed { _ = try scope.run(Call(SQL.claimIntent, pair + [.int64(until.microseconds)])) }
        return isClaimed
      }
    }
  }

  public func snapshot(of order: OrderID) async throws -> (user: UserID?, snapshot: Snapshot?)? {
    try await Self.guarding {
      let rows = try await registry[0].run(Call(SQL.readSnapshot, [.text(order.text)]))
      guard rows.count > 0 else { return nil }
      return (rows.text(0, 0).map { UserID($0) }, try rows.bytes(0, 1).map(SnapshotRecord.decode))
    }
  }
}

/// The tokens of one registration, ready for the statements.
struct TokenWrites: Sendable {
  var kinds: [String] = []
  var scopes: [String] = []
  var hashes: [[UInt8]] = []
  var sealed: [[UInt8]] = []
  var clearedKinds: [String] = []
  var clearedScopes: [String] = []

  init(_ report: InstallationReport, vault: TokenVault) throws {
    switch report.deviceToken {
    case .keep: break
    case .clear: clear("device", "")
    case .set(let token): try add("device", "", token, vault)
    }
    for (type, token) in report.startTokens.sorted(by: { $0.key < $1.key }) {
      if let token { try add("start", type, token, vault) } else { clear("start", type) }
    }
  }

  private mutating func clear(_ kind: String, _ scope: String) {
    clearedKinds.append(kind)
    clearedScopes.append(scope)
  }

  private mutating func add(_ kind: String, _ scope: String, _ token: PushToken, _ vault: TokenVault) throws {
    kinds.append(kind)
    scopes.append(scope)
    hashes.append(vault.hash(token))
    sealed.append(try vault.seal(token))
  }
}

/// One registration of an installation, under the lock order user < phone < token.
struct RegistrationTransaction {
  let scope: TransactionScope
  let report: InstallationReport
  let tokens: TokenWrites
  let now: Instant

  private var id: Parameter { .text(report.id.text) }

  func run(credentialHash: [UInt8]?) throws -> RegistrationOutcome {
    guard try userHasRoom() else { return .tooMany }
    var held = try scope.run(Call(SQL.lockInstallation, [id]))
    if held.count == 0 {
      guard let bundleID = report.bundleID else { return .incomplete("bundleId") }
      guard let environment = report.environment else { return .incomplete("environment") }
      _ = try scope.run([
        Call(
          SQL.insertInstallation,
          [id, .int64(report.revision), .text(bundleID), .text(environment.rawValue), .int64(now.microseconds)]),
        Call(SQL.insertPhone, [id, .int32(Shards.shard(of: report.id))]),
      ])
      held = try scope.run(Call(SQL.lockInstallation, [id]))
    }
    guard held.count > 0 else { throw StoreUnavailable("the installation vanished while it was registered") }
    guard report.revision >= held.int64(0, 0) ?? 0 else { return .outdated }
    _ = try scope.run(writes(hasMoved: hasMoved(held), credentialHash: credentialHash))
    return .registered
  }

  /// Takes the user's row first, so that two registrations of one user count in turn.
  private func userHasRoom() throws -> Bool {
    guard case .set(let user) = report.user else { return true }
    let answers = try scope.run([
      Call(SQL.insertUser, [.text(user.text)]), Call(SQL.lockUser, [.text(user.text)]),
      Call(SQL.countInstallations, [.text(user.text), id]),
    ])
    guard let count = answers.last else { return false }
    return count.int64(0, 0) ?? 0 < Int64(PostgresStore.installationsPerUserMax)
  }

  private func hasMoved(_ held: Rows) -> Bool {
    if let bundleID = report.bundleID, bundleID != held.text(0, 1) { return true }
    if let environment = report.environment, environment.rawValue != held.text(0, 2) { return true }
    switch report.user {
    case .keep: return false
    case .clear: return held.text(0, 3) != nil
    case .set(let user): return held.text(0, 3) != nil && held.text(0, 3) != user.text
    }
  }

  private func writes(hasMoved: Bool, credentialHash: [UInt8]?) -> [Call] {
    var calls = [Call(SQL.updateInstallation, updates(credentialHash)), Call(SQL.bumpRegistration, [id])]
    if hasMoved { calls.append(Call(SQL.dropTokens, [id])) }
    if !tokens.clearedKinds.isEmpty {
      calls.append(Call(SQL.clearTokens, [id, .texts(tokens.clearedKinds), .texts(tokens.clearedScopes)]))
    }
    if !tokens.kinds.isEmpty {
      let keys: [Parameter] = [id, .texts(tokens.kinds), .texts(tokens.scopes), .byteStrings(tokens.hashes)]
      calls.append(Call(SQL.moveTokens, keys))
      calls.append(Call(SQL.writeTokens, keys + [.byteStrings(tokens.sealed), .int64(now.microseconds)]))
    }
    return calls
  }

  private func updates(_ credentialHash: [UInt8]?) -> [Parameter] {
    let os = report.osVersion.parts
    return [id, .int64(report.revision), .text(report.bundleID), .text(report.environment?.rawValue)]
      + report.user.parameters { .text($0?.text) } + [.bool(os.isSaid), .int32(os.value.map { Int32($0.major) })]
      + [.int32(os.value.map { Int32($0.minor) })] + report.appVersion.parameters { .text($0) }
      + report.locale.parameters { .text($0) } + report.timeZone.parameters { .text($0) }
      + report.deviceID.parameters { .text($0) }
      + [
        .bool(report.uses24HourClock), .bool(report.activitiesEnabled), .bool(report.frequentPushesEnabled),
        .text(report.notifications?.rawValue), .bool(report.timeSensitiveAllowed), .bool(report.soundAllowed),
        .bytes(credentialHash), .int64(now.microseconds),
      ]
  }
}

extension Change {
  /// Whether the report said anything of the field, and what.
  var parts: (isSaid: Bool, value: Value?) {
    switch self {
    case .keep: (false, nil)
    case .clear: (true, nil)
    case .set(let value): (true, value)
    }
  }

  func parameters(_ column: (Value?) -> Parameter) -> [Parameter] { [.bool(parts.isSaid), column(parts.value)] }
}
