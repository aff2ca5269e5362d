import Domain
import Service

extension MemoryStore: RegistryStore {
  public func owner(of installation: InstallationID) async throws -> InstallationOwner? {
    phones[installation].map { InstallationOwner(user: $0.installation.user, credentialHash: $0.credentialHash) }
  }

  public func register(
    _ report: InstallationReport, credentialHash: [UInt8]?, now: Instant
  ) async throws -> RegistrationOutcome {
    var entry: PhoneEntry
    if let held = phones[report.id] {
      guard report.revision >= held.revision else { return .outdated }
      entry = held
    } else {
      guard let bundleID = report.bundleID else { return .incomplete("bundleId") }
      guard let environment = report.environment else { return .incomplete("environment") }
      entry = PhoneEntry(
        installation: Installation(id: report.id, bundleID: bundleID, environment: environment), revision: 0,
        registeredAt: now)
    }
    if case .set(let user) = report.user, entry.installation.user != user {
      let others = phones.values.filter { $0.installation.user == user && $0.installation.id != report.id }
      guard others.count < Self.installationsPerUserMax else { return .tooMany }
    }
    entry.apply(report, now: now)
    if let credentialHash { entry.credentialHash = credentialHash }
    takeTokens(of: entry.installation)
    entry.registration += 1
    phones[report.id] = entry
    return .registered
  }

  /// The same token on another installation moves to the newest registration.
  private func takeTokens(of newest: Installation) {
    for id in phones.keys where id != newest.id {
      if let token = newest.deviceToken, phones[id]?.installation.deviceToken == token {
        phones[id]?.installation.deviceToken = nil
      }
      for token in newest.startTokens.values {
        let types = phones[id]?.installation.startTokens.filter { $0.value == token }.keys.map { $0 } ?? []
        for type in types { phones[id]?.installation.startTokens[type] = nil }
      }
    }
  }

  public func claimStartIntent(
    order: OrderID, installation: InstallationID, until: Instant, now: Instant
  ) async throws -> Bool {
    let pair = Pair(order: order, phone: installation)
    phones[installation]?.registration += 1
    let isClaimed = cardKeys(pair).contains { [.reserved, .unconfirmed].contains(cards[$0]?.view.phase) }
    if !isClaimed && intents[pair] == nil { intents[pair] = until }
    return isClaimed
  }

  public func snapshot(of order: OrderID) async throws -> (user: UserID?, snapshot: Snapshot?)? {
    orders[order].map { ($0.row.delivery.user, $0.row.delivery.snapshot) }
  }
}

extension MemoryStore.PhoneEntry {
  /// A change of environment, bundle or user drops every token that is not in this body (rule 5.4).
  fileprivate mutating func apply(_ report: InstallationReport, now: Instant) {
    let before = installation
    if let bundleID = report.bundleID { installation.bundleID = bundleID }
    if let environment = report.environment { installation.environment = environment }
    report.user.write(to: &installation.user)
    let hasMoved =
      before.bundleID != installation.bundleID || before.environment != installation.environment
      || before.user != installation.user
    if hasMoved {
      installation.deviceToken = nil
      installation.startTokens = [:]
    }
    report.osVersion.write(to: &installation.osVersion)
    report.appVersion.write(to: &installation.appVersion)
    report.locale.write(to: &installation.locale)
    report.deviceToken.write(to: &installation.deviceToken)
    if let enabled = report.activitiesEnabled { installation.activitiesEnabled = enabled }
    if let frequent = report.frequentPushesEnabled { installation.frequentPushesEnabled = frequent }
    if let notifications = report.notifications { installation.notifications = notifications }
    for (type, token) in report.startTokens { installation.startTokens[type] = token }
    installation.seenAt = now
    revision = report.revision
  }
}

extension Change {
  /// Writes what the report says about a field.
  func write(to field: inout Value?) {
    switch self {
    case .keep: break
    case .clear: field = nil
    case .set(let value): field = value
    }
  }
}
