import Codecs
import Domain
import Postgres
import Service

/// One report of a card by the app, under the lock order phone < order < card < token.
struct ActivityTransaction {
  private struct HeldCard {
    var generation: Int32
    var activityID: String?
    var phase: String
    var revision: Int64
  }

  let scope: TransactionScope
  let report: ActivityReport
  let token: (sealed: [UInt8], hash: [UInt8])?
  let now: Instant

  private var order: Parameter { .text(report.order.text) }
  private var phone: Parameter { .text(report.installation.text) }

  func run() throws -> ActivityOutcome {
    let touched = try scope.run([
      Call(SQL.touchInstallation, [phone, .int64(now.microseconds)]), Call(SQL.bumpRegistration, [phone]),
      Call(
        SQL.insertStub,
        [order, .int64(now.microseconds), .bytes(DeliveryRecord.encode(Delivery(id: report.order)))]),
      Call(SQL.lockOrder, [order]), Call(SQL.lockCards, [order, phone]),
    ])
    guard touched.count == 5, touched[0].count > 0 else {
      throw UnknownInstallation()
    }
    let snapshot = try touched[3].bytes(0, 2).map(SnapshotRecord.decode)
    guard isOurs(user: touched[0].text(0, 0), order: touched[3]) else { return .forbidden }
    let cards = Self.cards(touched[4])
    guard let (card, isNew) = card(among: cards) else { return .tooMany }
    guard report.revision >= card.revision else { return .outdated(snapshot) }
    _ = try scope.run(try writes(card, isNew: isNew, life: snapshot?.life ?? 0))
    return .registered(snapshot)
  }

  private func isOurs(user: String?, order rows: Rows) -> Bool {
    guard rows.count > 0 else { return true }
    let (owner, placedBy) = (rows.text(0, 0), rows.text(0, 1))
    if owner == nil && placedBy == nil { return true }
    return placedBy == report.installation.text || (owner != nil && owner == user)
  }

  private static func cards(_ rows: Rows) -> [HeldCard] {
    (0..<rows.count).compactMap { row in
      guard let generation = rows.int32(row, 0), let phase = rows.text(row, 2) else { return nil }
      return HeldCard(
        generation: generation, activityID: rows.text(row, 1), phase: phase, revision: rows.int64(row, 3) ?? 0)
    }
  }

  /// The card that the report is about: by activity id, else the push start that waits for one, else a new one.
  private func card(among cards: [HeldCard]) -> (card: HeldCard, isNew: Bool)? {
    if let known = cards.last(where: { $0.activityID == report.activityID }) { return (known, false) }
    let awaited = cards.last { $0.activityID == nil && ["reserved", "unconfirmed"].contains($0.phase) }
    if report.startedBy == .push, let awaited { return (awaited, false) }
    guard cards.count < PostgresStore.cardsPerOrderAndPhoneMax else { return nil }
    let generation = (cards.last?.generation ?? 0) + 1
    return (HeldCard(generation: generation, activityID: nil, phase: "active", revision: 0), true)
  }

  private func writes(_ card: HeldCard, isNew: Bool, life: Int32) throws -> [Call] {
    let key: [Parameter] = [order, phone, .int32(card.generation)]
    let update = UpdateScope(generation: card.generation, order: report.order).text
    var calls: [Call] = []
    if isNew {
      let started: [Parameter] = [
        .int32(life), .text(report.startedBy.rawValue), .int64(report.startedAt.microseconds),
        .text(report.attributesType),
      ]
      calls.append(Call(SQL.insertCard, key + started))
    }
    let content: [Parameter] = [
      .text(report.activityID), .int64(report.revision), .bool(hasEnded), .int64(report.displayedSequence),
      .int64(now.microseconds), .bool(try isRotation(update)),
    ]
    calls.append(Call(SQL.updateCard, key + content))
    if let token { calls += tokenWrites(token, scope: update) }
    return calls + marks
  }

  /// A rotated token may have swallowed the newest push: the newest content is said again.
  private func isRotation(_ update: String) throws -> Bool {
    guard let token else { return false }
    let held = try scope.run(Call(SQL.readCardToken, [phone, .text(update)]))
    return held.count > 0 && held.bytes(0, 0) != token.hash
  }

  private func tokenWrites(_ token: (sealed: [UInt8], hash: [UInt8]), scope update: String) -> [Call] {
    let key: [Parameter] = [phone, .texts(["update"]), .texts([update]), .byteStrings([token.hash])]
    return [
      Call(SQL.moveTokens, key),
      Call(SQL.writeTokens, key + [.byteStrings([token.sealed]), .int64(now.microseconds)]),
    ]
  }

  private var hasEnded: Bool { report.state == .ended || report.state == .dismissed }

  /// What the report says of the phone and the pair (rules 4.4, 5.1, 5.2).
  private var marks: [Call] {
    var calls: [Call] = []
    if hasEnded {
      let cause = report.cause ?? .unknown
      if cause != .replaced && cause != .system { calls.append(mark(suppressed: true, endsIntent: false)) }
    } else {
      calls.append(mark(suppressed: report.startedBy == .app ? false : nil, endsIntent: true))
      if report.startedBy == .push { calls.append(Call(SQL.provePushStart, [phone])) }
    }
    return calls
  }

  private func mark(suppressed: Bool?, endsIntent: Bool) -> Call {
    Call(SQL.markPair, [order, phone, .bool(suppressed), .bool(endsIntent)])
  }
}

/// Rolls the transaction back: the stub of the order must not stay for a phone that nobody knows.
struct UnknownInstallation: Error {}
