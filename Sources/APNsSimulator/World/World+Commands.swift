/// An order at checkout: the control port's ORDER.
public struct OrderSpec: Codable, Sendable {
  public var order: String
  public var user: String
  public var store: String?
  /// Installation of the phone that placed it.
  public var placedBy: String?

  public init(order: String, user: String, store: String? = nil, placedBy: String? = nil) {
    self.order = order
    self.user = user
    self.store = store
    self.placedBy = placedBy
  }
}

/// The control port's ACTION.
public struct ActionSpec: Codable, Sendable {
  public var installation: String
  public var action: PhoneAction
  public var order: String?
  /// For `logIn`.
  public var user: String?
  /// For `reinstall` and `restoreBackup`: the new installation.
  public var onto: String?
  /// Card time.
  public var afterSeconds: Double?

  public init(installation: String, action: PhoneAction) {
    self.installation = installation
    self.action = action
  }
}

/// A command that cannot be carried out, and why.
public struct CommandRefused: Error, CustomStringConvertible {
  public var description: String
}

extension World {
  /// Keys that providers may sign with, in both environments' eyes.
  public func accept(_ key: ProviderKey) { frontEnd.providerTokens.keys[key.id] = key }

  public func switchOn(_ specs: [PhoneSpec]) throws(CommandRefused) {
    for spec in specs where byInstallation[spec.installation] != nil {
      throw CommandRefused(description: "installation \(spec.installation) is on already")
    }
    for spec in specs {
      let index = phones.count
      phones.append(makePhone(spec))
      byInstallation[spec.installation] = index
      if let user = spec.user { byUser[user, default: []].append(index) }
      tell(index, .switchedOn)
    }
  }

  public func place(_ orders: [OrderSpec]) throws(CommandRefused) {
    for order in orders {
      ordersByUser[order.user, default: []].append(order.order)
      let placing = try order.placedBy.map { installation throws(CommandRefused) in try phone(installation) }
      for index in byUser[order.user] ?? [] {
        tell(index, .follows(order: order.order, placing: index == placing))
      }
      if let placing {
        later(
          .seconds(phones[placing].behaviour.checkoutSeconds), placing,
          .checkout(order: order.order, store: order.store ?? "Store"))
      }
    }
  }

  public func act(_ actions: [ActionSpec]) throws(CommandRefused) {
    for action in actions {
      let index = try phone(action.installation)
      if action.action == .reinstall || action.action == .restoreBackup {
        try replace(index, action)
      } else {
        later(
          .seconds(action.afterSeconds ?? 0), index, .user(action.action, order: action.order, user: action.user))
      }
    }
  }

  /// A new installation with the old one's user: after `reinstall` the old one is gone, after `restoreBackup` both live
  /// and the new one still holds the old one's credential.
  private func replace(_ index: Int, _ action: ActionSpec) throws(CommandRefused) {
    guard let name = action.onto else {
      throw CommandRefused(description: "\(action.action.rawValue) needs `onto`, the new installation's id")
    }
    let old = phones[index]
    var spec = PhoneSpec(installation: name, user: old.user)
    spec.bundle = old.bundle
    spec.environment = old.environment
    spec.os = old.os
    spec.appVersion = old.appVersion
    spec.app = old.build
    spec.behaviour = old.behaviour
    if action.action == .reinstall { uninstall(index) }
    try switchOn([spec])
    let new = phones.count - 1
    for order in old.followed.keys.sorted() { tell(new, .follows(order: order, placing: false)) }
    if action.action == .restoreBackup {
      phones[new].app.credential = old.app.credential
      phones[new].app.revision = max(phones[new].app.revision, old.app.revision)
    }
  }

  /// The phone belongs to another user now, or to none.
  func moved(_ phone: Phone, from former: String?) {
    if let former { byUser[former]?.removeAll { $0 == phone.index } }
    guard let user = phone.user else { return }
    byUser[user, default: []].append(phone.index)
    for order in ordersByUser[user] ?? [] { later(.zero, phone.index, .follows(order: order, placing: false)) }
  }

  private func uninstall(_ index: Int) {
    tell(index, .user(.swipe, order: nil, user: nil))
    tell(index, .user(.offline, order: nil, user: nil))
    let phone = phones[index]
    for token in [phone.deviceToken, phone.startToken ?? ""] where !token.isEmpty {
      with(index) { _, hands in hands.effects.append(.retire(token: token)) }
    }
    if let user = phone.user { byUser[user]?.removeAll { $0 == index } }
  }

  /// Faults that hold for a connection which begins now.
  public func connectionFaults(_ environment: APNsEnvironment) -> [Fault.Effect] {
    faults.map(\.fault).filter { fault in
      fault.effect.isOfConnection && (fault.environment ?? environment) == environment
        && (fault.fromMicros ?? .min) <= real.micros && real.micros < (fault.untilMicros ?? .max)
    }.map(\.effect)
  }

  public func add(_ faults: [Fault]) -> [String] {
    faults.map { fault in
      faultsMade += 1
      let id = "f-\(faultsMade)"
      self.faults.append((id, fault))
      writeFault(id, "set")
      return id
    }
  }

  /// All of them when `id` is nil.
  public func endFault(_ id: String?) {
    for fault in faults where id == nil || fault.id == id { writeFault(fault.id, "ended") }
    faults.removeAll { id == nil || $0.id == id }
  }

  private func writeFault(_ id: String, _ what: String) {
    var record = TruthRecord(.fault)
    record.word = id
    record.text = what
    write(record)
  }

  func phone(_ installation: String) throws(CommandRefused) -> Int {
    guard let index = byInstallation[installation] else {
      throw CommandRefused(description: "no installation \(installation); POST /phones first")
    }
    return index
  }
}
