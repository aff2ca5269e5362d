import Domain
import Postgres
import Service

extension PostgresStore {
  public func settle(_ settlements: [Settlement]) async throws -> SettleCount {
    let batch = settlements.sorted { $0.phone < $1.phone }
    let vault = vault
    return try await Self.guarding {
      try await dispatch.transaction([Call(SQL.free, Self.freeing(batch))]) { answers in
        let rows = answers.first
        let freed = Set((0..<(rows?.count ?? 0)).compactMap { rows?.text($0, 0) })
        let settled = batch.filter { freed.contains($0.phone.text) }
        let count = SettleCount(settled: settled.count, outdated: batch.count - settled.count)
        return (SettleWrites(settled, vault: vault).calls, count)
      }
    }
  }

  private static func freeing(_ batch: [Settlement]) -> [Parameter] {
    [
      .texts(batch.map(\.phone.text)), .int64s(batch.map(\.attempt)), .bools(batch.map(\.givesStartBack)),
      .int32s(batch.map { $0.startsUnconfirmed ? 1 : 0 }),
    ]
  }
}

extension Settlement {
  fileprivate var isStart: Bool { plan.event == .start }

  fileprivate var isTokenDead: Bool { if case .tokenDead = result { true } else { false } }

  /// The start never reached a phone: claim and budget are given back.
  fileprivate var givesStartBack: Bool { isStart && (result == .released || isTokenDead) }

  /// Accepted, or taken as accepted: the app has to confirm it.
  fileprivate var startsUnconfirmed: Bool { isStart && (result == .accepted || result == .startInDoubt) }

  /// The content counts as told.
  fileprivate var isTold: Bool {
    guard desired != nil, result == .accepted || result == .startInDoubt else { return false }
    switch plan.event {
    case .start, .update, .end: return true
    case .alert, .wakeApp: return false
    }
  }

  fileprivate var tokenKind: String {
    switch plan.event {
    case .start: "start"
    case .update, .end: "update"
    case .alert, .wakeApp: "device"
    }
  }
}

/// The statements that write what became of the pushes; those for which there is nothing are left out.
private struct SettleWrites {
  let settled: [Settlement]
  let vault: TokenVault

  init(_ settled: [Settlement], vault: TokenVault) {
    self.settled = settled
    self.vault = vault
  }

  var calls: [Call] { [tell, release, releaseRings, refuse].compactMap { $0 } + retire }

  private func keys(_ settlements: [Settlement]) -> [Parameter] {
    [
      .texts(settlements.map(\.plan.order.text)), .texts(settlements.map(\.phone.text)),
      .int32s(settlements.map(\.plan.generation)),
    ]
  }

  private func call(
    _ statement: Statement, of chosen: [Settlement], with more: ([Settlement]) -> [Parameter] = { _ in [] }
  ) -> Call? {
    chosen.isEmpty ? nil : Call(statement, keys(chosen) + more(chosen))
  }

  private var tell: Call? {
    call(SQL.tell, of: settled.filter(\.isTold)) { told in
      [
        .texts(told.map(\.plan.event.column)), .int64s(told.map { $0.desired?.sequence }),
        .int32s(told.map { $0.desired?.life }), .int16s(told.map { ($0.desired?.stage.rawValue).map(Int16.init) }),
        .int64s(told.map { $0.desired?.arrival?.microseconds }), .int64s(told.map { $0.plan.staleAt?.microseconds }),
        .int64s(told.map(\.at.microseconds)), .int64s(told.map(\.attempt)),
      ]
    }
  }

  private var release: Call? { call(SQL.releaseStarts, of: settled.filter(\.givesStartBack)) }

  private var refuse: Call? {
    call(SQL.refuse, of: settled.filter { $0.result == .refused }) { [.int64s($0.map { $0.desired?.sequence })] }
  }

  private var releaseRings: Call? {
    let rings = settled.filter { $0.plan.ring != nil && ($0.result == .released || $0.isTokenDead) }
    guard !rings.isEmpty else { return nil }
    return Call(
      SQL.releaseRings,
      [
        .texts(rings.map(\.plan.order.text)), .texts(rings.map(\.phone.text)),
        .int32s(rings.map { $0.desired?.life ?? 0 }), .int32s(rings.map { PostgresStore.ringBit($0.plan.ring) }),
      ])
  }

  private var retire: [Call] {
    let dead = settled.filter(\.isTokenDead)
    guard !dead.isEmpty else { return [] }
    let verdicts = dead.map { settlement -> (hash: [UInt8]?, since: Int64?) in
      guard case .tokenDead(let token, let since, _) = settlement.result else { return (nil, nil) }
      return (vault.hash(token), since?.microseconds)
    }
    let cards = dead.filter { $0.tokenKind == "update" }
    let tokens = Call(
      SQL.retireTokens,
      [
        .texts(dead.map(\.phone.text)), .texts(dead.map(\.tokenKind)), .byteStrings(verdicts.map(\.hash)),
        .int64s(verdicts.map(\.since)),
      ])
    return cards.isEmpty ? [tokens] : [tokens, Call(SQL.endCards, keys(cards))]
  }
}
