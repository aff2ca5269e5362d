import Crypto
import Domain
import Postgres
import Service

extension PostgresStore: AdministrationStore {
  public func logOut(_ installation: InstallationID, now: Instant) async throws -> Bool {
    try await Self.guarding {
      try await registry[0].transaction { (scope: TransactionScope) in
        let held = try scope.run(Call(SQL.lockOneInstallation, [.text(installation.text)]))
        guard held.count > 0 else { return false }
        let phones = Parameter.texts([installation.text])
        _ = try scope.run([Call(SQL.bumpPhones, [phones]), Call(SQL.unbindInstallations, [phones])])
        return true
      }
    }
  }

  public func erase(_ user: UserID, now: Instant) async throws -> ErasedUser {
    let hash = sha256(Array(user.text.utf8))
    return try await Self.guarding {
      try await registry[0].transaction { (scope: TransactionScope) in
        _ = try scope.run(Call(SQL.lockUser, [.text(user.text)]))
        let phones = try scope.run(Call(SQL.lockInstallationsOfUser, [.text(user.text)])).texts(0)
        let orders = try scope.run(Call(SQL.ordersOfUser, [.text(user.text)])).texts(0)
        _ = try scope.run([
          Call(SQL.bumpPhones, [.texts(phones)]), Call(SQL.unbindInstallations, [.texts(phones)]),
          Call(SQL.noteErasedUser, [.bytes(hash), .int64(now.microseconds)]),
          Call(SQL.forgetUser, [.text(user.text)]),
        ])
        return ErasedUser(phones: phones.map { InstallationID($0) }, orders: orders.map { OrderID($0) })
      }
    }
  }

  public func installations(of user: UserID, now: Instant) async throws -> [InstallationSummary] {
    let (rows, phones) = try await Self.guarding {
      let rows = try await registry[0].run(Call(SQL.summarizeInstallations, [.text(user.text)]))
      return (rows, try await self.phones(for: Wakes(phones: Set(rows.texts(0).map { InstallationID($0) })), now: now))
    }
    let known = Dictionary(phones.map { ($0.view.installation.id.text, $0) }, uniquingKeysWith: { first, _ in first })
    return (0..<rows.count).compactMap { row in
      guard let id = rows.text(row, 0), let phone = known[id], let registered = Instant(column: rows.int64(row, 1))
      else { return nil }
      return InstallationSummary(
        installation: phone.view.installation, registeredAt: registered, seenAt: Instant(column: rows.int64(row, 2)))
    }
  }

  public func activities(on installation: InstallationID) async throws -> [ActivityStanding] {
    let rows = try await Self.guarding {
      try await registry[0].run(Call(SQL.readActivities, [.text(installation.text)]))
    }
    return (0..<rows.count).compactMap { row in
      guard let order = rows.text(row, 0), let activity = rows.text(row, 1), let generation = rows.int32(row, 2),
        let phase = rows.text(row, 3).flatMap(CardView.Phase.init), let type = rows.text(row, 4),
        let starter = rows.text(row, 5).flatMap(CardView.Starter.init),
        let startedAt = Instant(column: rows.int64(row, 6))
      else { return nil }
      return ActivityStanding(
        order: OrderID(order), activityID: activity, generation: generation, phase: phase, attributesType: type,
        startedBy: starter, startedAt: startedAt)
    }
  }

  public func endCards(of order: OrderID, now: Instant) async throws -> [InstallationID]? {
    try await changeCards(of: order, by: SQL.withdrawOrder)
  }

  public func forgetTold(of order: OrderID) async throws -> [InstallationID]? {
    try await changeCards(of: order, by: SQL.forgetTold)
  }

  private func changeCards(of order: OrderID, by statement: Statement) async throws -> [InstallationID]? {
    try await Self.guarding {
      try await registry[0].transaction { (scope: TransactionScope) in
        let isKnown = try scope.run(Call(SQL.orderExists, [.text(order.text)])).bool(0, 0) ?? false
        guard isKnown else { return nil }
        _ = try scope.run(Call(SQL.bumpPhonesOfOrder, [.text(order.text)]))
        return try scope.run(Call(statement, [.text(order.text)])).texts(0).map { InstallationID($0) }
      }
    }
  }

  public func rollout() async throws -> Rollout? {
    let rows = try await Self.guarding { try await registry[0].run(Call(SQL.readRollout)) }
    guard rows.count > 0, let mode = rows.text(0, 0).flatMap(Rollout.Mode.init) else { return nil }
    return Rollout(
      mode: mode, allowList: Set(rows.lines(0, 2).map { UserID($0) }), startsPaused: rows.bool(0, 1) ?? false,
      pausedApps: Set(rows.lines(0, 3)))
  }

  public func setRollout(_ rollout: Rollout, now: Instant) async throws {
    let parameters: [Parameter] = [
      .text(rollout.mode.description), .bool(rollout.startsPaused), .texts(rollout.allowList.map(\.text).sorted()),
      .texts(rollout.pausedApps.sorted()), .int64(now.microseconds),
    ]
    try await Self.guarding { _ = try await registry[0].run(Call(SQL.writeRollout, parameters)) }
  }

  public func audit(_ entry: AuditEntry) async throws {
    let parameters: [Parameter] = [
      .int64(entry.at.microseconds), .text(entry.actor), .text(entry.action), .text(entry.subject),
    ]
    try await Self.guarding { _ = try await registry[0].run(Call(SQL.writeAudit, parameters)) }
  }
}

extension Rows {
  /// One column of text, nulls left out.
  fileprivate func texts(_ column: Int) -> [String] { (0..<count).compactMap { text($0, column) } }

  /// A text array that was joined by line breaks; ids hold none.
  fileprivate func lines(_ row: Int, _ column: Int) -> [String] {
    (text(row, column) ?? "").split(separator: "\n").map(String.init)
  }
}
