import Domain
import Service

extension MemoryStore: DispatchStore {
  public func take(shards: [Int32], owner: String) async throws -> [ShardLease] {
    shards.map { shard in
      epochs[shard, default: 0] += 1
      return ShardLease(shard: shard, epoch: epochs[shard, default: 0])
    }
  }

  public func phones(for wakes: Wakes, now: Instant) async throws -> [LoadedPhone] {
    let ids = wakes.orders.reduce(into: wakes.phones) { ids, order in ids.formUnion(phones(of: order)) }
    return ids.sorted().compactMap(loadedPhone)
  }

  public func livePhones(shards: [Int32], after last: InstallationID?, limit: Int) async throws -> [InstallationID] {
    let wanted = Set(shards)
    let live = phones.keys.filter { id in
      wanted.contains(Shards.shard(of: id)) && (last.map { $0 < id } ?? true) && !ordersShown(on: id).isEmpty
    }
    return Array(live.sorted().prefix(limit))
  }

  private func loadedPhone(_ id: InstallationID) -> LoadedPhone? {
    guard let phone = phones[id] else { return nil }
    let views = views(of: id)
    let causes = views.map { ($0.id, orders[$0.id]?.row) }.compactMap { id, row in
      row.map { (id, LoadedPhone.Cause(traceparent: $0.traceparent, recordAt: $0.causeRecordAt)) }
    }
    let open = phone.reservedUntil.map { $0 - clock.monotonic() }.flatMap { $0 > 0 ? $0 : nil }
    return LoadedPhone(
      view: PhoneView(installation: phone.installation, budget: phone.budget, orders: views),
      shard: Shards.shard(of: id), attempt: phone.attempt, registration: phone.registration, reservedForSeconds: open,
      causes: Dictionary(uniqueKeysWithValues: causes))
  }

  /// Orders of a phone that still matter, in id order.
  private func views(of id: InstallationID) -> [OrderView] {
    guard let phone = phones[id] else { return [] }
    return ordersShown(on: id).sorted().compactMap { order in
      orders[order].map { entry in
        let held = cardKeys(Pair(order: order, phone: id)).compactMap { cards[$0]?.view }
        return view(of: entry, on: phone, cards: held, isOurs: entry.facts.belong(to: phone.installation))
      }
    }
  }

  /// Orders that run or ended lately and belong to the phone, and those of cards that are not known to be gone.
  private func ordersShown(on id: InstallationID) -> Set<OrderID> {
    guard let phone = phones[id] else { return [] }
    let now = clock.now()
    let belonging = orders.filter { _, entry in
      entry.facts.belong(to: phone.installation)
        && (entry.facts.finishedAt.map { now.since($0) < Self.finishedSeconds } ?? true)
    }
    let carded = cards.filter { $0.phone == id && $1.view.phase != .ended && orders[$0.order] != nil }
    return Set(belonging.keys).union(carded.keys.map(\.order))
  }

  private func view(of entry: OrderEntry, on phone: PhoneEntry, cards: [CardView], isOurs: Bool) -> OrderView {
    let delivery = entry.row.delivery
    let pair = Pair(order: delivery.id, phone: phone.installation.id)
    var view = OrderView(
      id: delivery.id, version: entry.version, desired: delivery.snapshot, causeFreshUntil: entry.row.causeFreshUntil,
      knownSince: max(entry.knownSince, phone.registeredAt),
      placedByThisPhone: delivery.placedBy == phone.installation.id)
    view.app = delivery.app
    view.kind = delivery.kind
    view.intentUntil = intents[pair]
    view.schedule = delivery.schedule
    view.finishedAt = delivery.finishedAt
    view.heardAt = delivery.heardAt
    // An order whose owner no event has named yet is nobody else's.
    let isOwned = delivery.user != nil || delivery.placedBy != nil
    view.withdrawn = (isOwned && !isOurs) || withdrawn.contains(pair)
    view.suppressed = suppressed.contains(pair)
    view.cards = cards
    let life = delivery.snapshot?.life ?? 0
    view.rung = Set(rings.filter { $0.pair == pair && $0.life == life }.map(\.stage))
    return view
  }

  // MARK: reserve

  public func reserve(_ requests: [ReservationRequest], now: Instant) async throws -> [Reservation] {
    requests.compactMap(reserve)
  }

  private func reserve(_ request: ReservationRequest) -> Reservation? {
    guard var phone = phones[request.phone], phone.attempt == request.attempt,
      phone.registration == request.registration,
      epochs[request.lease.shard] == request.lease.epoch,
      orders[request.plan.order]?.version == request.orderVersion,
      phone.reservedUntil.map({ $0 <= clock.monotonic() }) ?? true
    else { return nil }
    let pair = Pair(order: request.plan.order, phone: request.phone)
    let key = CardKey(order: pair.order, phone: pair.phone, generation: request.plan.generation)
    if request.plan.event == .start {
      guard cards[key] == nil else { return nil }
      cards[key] = startedCard(request)
    }
    let now = clock.now()
    let timestamp = max((cards[key]?.apsTimestamp ?? 0) + 1, now.seconds)
    cards[key]?.apsTimestamp = timestamp
    if request.plan.event == .wakeApp { cards[key]?.view.wokenAt = now }
    if let stage = request.plan.ring {
      rings.insert(RingKey(pair: pair, life: request.desired?.life ?? 0, stage: stage))
    }
    phone.attempt += 1
    phone.reservedUntil = clock.monotonic() + request.leaseSeconds
    phone.budget = request.budget
    phones[request.phone] = phone
    cards[key]?.view.attempt = phone.attempt
    return Reservation(phone: request.phone, attempt: phone.attempt, apsTimestamp: timestamp)
  }

  private func startedCard(_ request: ReservationRequest) -> CardEntry {
    var view = CardView(
      generation: request.plan.generation, phase: .reserved, startedBy: .push, startedAt: clock.now(),
      attributesType: request.plan.attributesType ?? "")
    view.life = request.desired?.life ?? 0
    return CardEntry(view: view)
  }
}
