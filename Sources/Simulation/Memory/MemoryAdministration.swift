import Domain
import Service

extension MemoryStore: AdministrationStore {
  public func logOut(_ installation: InstallationID, now: Instant) async throws -> Bool {
    guard phones[installation] != nil else { return false }
    withdraw(installation)
    return true
  }

  public func erase(_ user: UserID, now: Instant) async throws -> ErasedUser {
    let ids = phones.filter { $1.installation.user == user }.map(\.key).sorted()
    for id in ids { withdraw(id) }
    return ErasedUser(phones: ids, orders: orders.filter { $1.row.delivery.user == user }.map(\.key).sorted())
  }

  private func withdraw(_ id: InstallationID) {
    for key in cards.keys where key.phone == id { withdrawn.insert(Pair(order: key.order, phone: id)) }
    phones[id]?.installation.user = nil
    phones[id]?.installation.deviceToken = nil
    phones[id]?.installation.startTokens = [:]
    phones[id]?.credentialHash = nil
  }

  public func installations(of user: UserID, now: Instant) async throws -> [InstallationSummary] {
    phones.values.filter { $0.installation.user == user }.sorted { $0.registeredAt > $1.registeredAt }.map {
      InstallationSummary(
        installation: $0.installation, registeredAt: $0.registeredAt, seenAt: $0.installation.seenAt)
    }
  }

  public func activities(on installation: InstallationID) async throws -> [ActivityStanding] {
    cards.filter { $0.key.phone == installation }.sorted { $0.key.generation < $1.key.generation }
      .compactMap { key, entry in
        entry.activityID.map { id in
          ActivityStanding(
            order: key.order, activityID: id, generation: key.generation, phase: entry.view.phase,
            attributesType: entry.view.attributesType, startedBy: entry.view.startedBy,
            startedAt: entry.view.startedAt)
        }
      }
  }

  public func endCards(of order: OrderID, now: Instant) async throws -> [InstallationID]? {
    guard orders[order] != nil else { return nil }
    let ids = Set(cards.keys.filter { $0.order == order }.map(\.phone)).sorted()
    for id in ids { withdrawn.insert(Pair(order: order, phone: id)) }
    return ids
  }

  public func forgetTold(of order: OrderID) async throws -> [InstallationID]? {
    guard orders[order] != nil else { return nil }
    for key in cards.keys where key.order == order { cards[key]?.view.told = nil }
    return Set(cards.keys.filter { $0.order == order }.map(\.phone)).sorted()
  }

  public func rollout() async throws -> Rollout? { setRollout }
  public func setRollout(_ rollout: Rollout, now: Instant) async throws { setRollout = rollout }
  public func audit(_ entry: AuditEntry) async throws { auditLog.append(entry) }
}
