import Codecs
import Domain
import Postgres
import Service

/// Puts the four answers of one read together: phones, tokens, orders and cards.
struct PhoneReader {
  private struct Pair: Hashable {
    var phone: String
    var order: String
  }

  let vault: TokenVault
  let phoneRows: Rows
  let tokenRows: Rows
  let orderRows: Rows
  let cardRows: Rows

  init(vault: TokenVault, answers: [Rows]) throws {
    guard answers.count == 4 else { throw StoreUnavailable("an answer is missing") }
    self.vault = vault
    (phoneRows, tokenRows, orderRows, cardRows) = (answers[0], answers[1], answers[2], answers[3])
  }

  func phones() throws -> [LoadedPhone] {
    let (tokens, updateTokens) = readTokens()
    let cards = readCards(updateTokens)
    var phones: [String: LoadedPhone] = [:]
    for row in 0..<phoneRows.count {
      guard let phone = phone(row, tokens) else { continue }
      phones[phone.view.installation.id.text] = phone
    }
    for row in 0..<orderRows.count {
      guard let id = orderRows.text(row, 0), let phone = phones[id] else { continue }
      let order = try order(row, on: phone.view.installation, cards: cards)
      phones[id]?.view.orders.append(order)
      phones[id]?.causes[order.id] = LoadedPhone.Cause(
        traceparent: orderRows.text(row, 13), recordAt: Instant(column: orderRows.int64(row, 14)))
    }
    return phones.sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: phones

  private func phone(_ row: Int, _ tokens: [String: [(kind: String, scope: String, token: PushToken)]]) -> LoadedPhone?
  {
    let rows = phoneRows
    guard let id = rows.text(row, 0), let bundleID = rows.text(row, 2),
      let environment = rows.text(row, 3).flatMap(PushEnvironment.init(rawValue:))
    else { return nil }
    var installation = Installation(id: InstallationID(id), bundleID: bundleID, environment: environment)
    installation.user = rows.text(row, 1).map { UserID($0) }
    installation.osVersion = rows.int32(row, 4).map { OSVersion(major: Int($0), minor: Int(rows.int32(row, 5) ?? 0)) }
    installation.appVersion = rows.text(row, 6)
    installation.locale = rows.text(row, 7)
    installation.activitiesEnabled = rows.bool(row, 8) ?? false
    installation.frequentPushesEnabled = rows.bool(row, 9) ?? false
    installation.notifications = rows.text(row, 10).flatMap(Installation.Authorization.init) ?? .notDetermined
    installation.seenAt = Instant(column: rows.int64(row, 11))
    installation.pushToStartProven = rows.bool(row, 19) ?? false
    installation.unconfirmedStartsInRow = Int(rows.int32(row, 20) ?? 0)
    for entry in tokens[id] ?? [] {
      if entry.kind == "device" { installation.deviceToken = entry.token }
      if entry.kind == "start" { installation.startTokens[entry.scope] = entry.token }
    }
    let budget = PhoneBudget(
      starts: StartTimes.times(rows.text(row, 16) ?? ""), bucket: rows.double(row, 17) ?? 0,
      bucketAt: Instant(column: rows.int64(row, 18)) ?? .distantPast)
    return LoadedPhone(
      view: PhoneView(installation: installation, budget: budget, orders: []), shard: rows.int32(row, 12) ?? 0,
      attempt: rows.int64(row, 13) ?? 0, registration: rows.int64(row, 14) ?? 0,
      reservedForSeconds: rows.double(row, 15).flatMap { $0 > 0 ? $0 : nil })
  }

  private func readTokens() -> (
    [String: [(kind: String, scope: String, token: PushToken)]], [Pair: [Int32: PushToken]]
  ) {
    var tokens: [String: [(kind: String, scope: String, token: PushToken)]] = [:]
    var updates: [Pair: [Int32: PushToken]] = [:]
    for row in 0..<tokenRows.count {
      guard let phone = tokenRows.text(row, 0), let kind = tokenRows.text(row, 1), let scope = tokenRows.text(row, 2),
        let token = tokenRows.bytes(row, 3).flatMap({ vault.open($0) })
      else { continue }
      if kind == "update", let card = UpdateScope(scope) {
        updates[Pair(phone: phone, order: card.order), default: [:]][card.generation] = token
      } else {
        tokens[phone, default: []].append((kind, scope, token))
      }
    }
    return (tokens, updates)
  }

  // MARK: orders

  private func order(_ row: Int, on installation: Installation, cards: [Pair: [CardView]]) throws -> OrderView {
    let rows = orderRows
    let id = rows.text(row, 1) ?? ""
    var view = OrderView(
      id: OrderID(id), version: rows.int64(row, 2) ?? 0, desired: try rows.bytes(row, 3).map(SnapshotRecord.decode),
      causeFreshUntil: Instant(column: rows.int64(row, 4)) ?? .distantPast,
      knownSince: Instant(column: rows.int64(row, 5)) ?? .distantPast,
      placedByThisPhone: rows.bool(row, 6) ?? false)
    if let from = Instant(column: rows.int64(row, 7)), let to = Instant(column: rows.int64(row, 8)) {
      view.schedule = ScheduleWindow(from: from, to: to)
    }
    view.finishedAt = Instant(column: rows.int64(row, 9))
    view.heardAt = Instant(column: rows.int64(row, 10)) ?? view.knownSince
    view.app = rows.text(row, 11)
    view.kind = rows.text(row, 12)
    view.suppressed = rows.bool(row, 15) ?? false
    view.intentUntil = Instant(column: rows.int64(row, 16))
    // An order whose owner no event has named yet is nobody else's.
    let user = rows.text(row, 19)
    let isOwned = user != nil || rows.bool(row, 21) ?? false
    let isOurs = view.placedByThisPhone || (user != nil && user == installation.user?.text)
    view.withdrawn = (isOwned && !isOurs) || (rows.bool(row, 20) ?? false)
    let life = view.desired?.life ?? 0
    if rows.int32(row, 17) == life { view.rung = Self.stages(rows.int32(row, 18) ?? 0) }
    view.cards = cards[Pair(phone: installation.id.text, order: id)] ?? []
    return view
  }

  private static func stages(_ bits: Int32) -> Set<Stage> {
    Set(Stage.allCases.filter { bits & PostgresStore.ringBit($0) != 0 })
  }

  // MARK: cards

  private func readCards(_ tokens: [Pair: [Int32: PushToken]]) -> [Pair: [CardView]] {
    var cards: [Pair: [CardView]] = [:]
    for row in 0..<cardRows.count {
      guard let phone = cardRows.text(row, 0), let order = cardRows.text(row, 1), var card = card(row) else { continue }
      let pair = Pair(phone: phone, order: order)
      card.updateToken = tokens[pair]?[card.generation]
      cards[pair, default: []].append(card)
    }
    return cards
  }

  private func card(_ row: Int) -> CardView? {
    let rows = cardRows
    guard let generation = rows.int32(row, 2), let phase = rows.text(row, 3).flatMap(CardView.Phase.init),
      let starter = rows.text(row, 4).flatMap(CardView.Starter.init),
      let startedAt = Instant(column: rows.int64(row, 5))
    else { return nil }
    var card = CardView(
      generation: generation, phase: phase, startedBy: starter, startedAt: startedAt,
      attributesType: rows.text(row, 6) ?? "")
    card.attempt = rows.int64(row, 7) ?? 0
    if let sequence = rows.int64(row, 8), let at = Instant(column: rows.int64(row, 13)) {
      let stage = rows.int16(row, 10).flatMap { Stage(rawValue: UInt8(clamping: $0)) } ?? .placed
      card.told = CardView.Told(
        sequence: sequence, life: rows.int32(row, 9) ?? 0, stage: stage, arrival: Instant(column: rows.int64(row, 11)),
        staleAt: Instant(column: rows.int64(row, 12)), at: at)
    }
    card.refusedSequence = rows.int64(row, 14)
    card.known = rows.int64(row, 15)
    card.knownAt = Instant(column: rows.int64(row, 16))
    card.life = rows.int32(row, 17) ?? 0
    card.wokenAt = Instant(column: rows.int64(row, 18))
    card.endsTold = rows.int32(row, 19) ?? 0
    card.endToldAt = Instant(column: rows.int64(row, 20))
    return card
  }
}

/// The `scope` of an update token: `generation/order id`.
struct UpdateScope {
  let generation: Int32
  let order: String

  init(generation: Int32, order: OrderID) {
    self.generation = generation
    self.order = order.text
  }

  init?(_ scope: String) {
    guard let slash = scope.firstIndex(of: "/"), let generation = Int32(scope[..<slash]) else { return nil }
    self.generation = generation
    order = String(scope[scope.index(after: slash)...])
  }

  var text: String { "\(generation)/\(order)" }
}
