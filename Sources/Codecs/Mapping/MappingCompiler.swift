import Documents
import Domain

extension Mapping {
  /// Compiles a mapping file (docs/mapping.md).
  /// - Throws: `DocumentError` with the line and column of the first mistake.
  public init(_ document: DocumentNode) throws(DocumentError) {
    let root = try DocumentObject(document, names: ["version", "topics"])
    _ = try root.required("version").integer(in: 1...1)
    var topics: [TopicRule] = []
    for node in try root.required("topics").list() {
      topics += try TopicCompiler(node).rules(after: topics)
    }
    self.init(topics: topics)
  }

  /// Whether a topic of that role is mapped; otherwise it is read in the built-in form.
  public func maps(topic: String, role: TopicRole) -> Bool { !rule(for: topic, role: role).isBuiltIn }
}

/// Compiles one entry of `topics`.
private struct TopicCompiler {
  private let object: DocumentObject
  private let role: TopicRole

  init(_ node: DocumentNode) throws(DocumentError) {
    object = try DocumentObject(
      node, names: ["topics", "role", "space", "rank", "sequence", "namespace", "key", "events"])
    role = try object.required("role").choice(TopicRole.self)
  }

  /// One rule per topic pattern.
  func rules(after others: [TopicRule]) throws(DocumentError) -> [TopicRule] {
    let mode = try object["sequence"]?.choice(TopicRule.SequenceMode.self) ?? (role == .orders ? .explicit : .time)
    let space = try space(mode: mode, after: others)
    let namespaces = try Namespaces(object["namespace"])
    let compiler = EventRuleCompiler(mode: mode, namespaces: namespaces, keyIsSubject: try keyIsSubject())
    var events: [EventRule] = []
    for node in try object.required("events").list() { events.append(try compiler.rule(node)) }
    guard !events.isEmpty else { throw try object.required("events").error("expected at least one event") }
    var rules: [TopicRule] = []
    for pattern in try patterns(after: others) {
      var rule = TopicRule(
        pattern: pattern, role: role, space: space, sequenceMode: mode, events: events)
      rule.namespaces = namespaces
      rule.readsKeyDocument = events.contains(where: \.readsKeyDocument)
      rules.append(rule)
    }
    return rules
  }

  private func keyIsSubject() throws(DocumentError) -> Bool {
    enum KeyUse: String, CaseIterable { case subject, ignored }
    return try object["key"]?.choice(KeyUse.self) == .subject
  }

  private func patterns(after others: [TopicRule]) throws(DocumentError) -> [TopicPattern] {
    var patterns: [TopicPattern] = []
    for node in try object.required("topics").list() {
      let text = try node.text()
      guard !text.isEmpty, !text.dropLast().contains("*") else {
        throw node.error("expected a topic's name, or the beginning of names followed by *")
      }
      guard !others.contains(where: { $0.role == role && $0.pattern.matches(text) }) else {
        throw node.error("the topic '\(text)' is already mapped by an entry above")
      }
      patterns.append(TopicPattern(text))
    }
    return patterns
  }

  /// All topics of one space must agree on how its numbers are made, or they could not be compared.
  private func space(mode: TopicRule.SequenceMode, after others: [TopicRule]) throws(DocumentError) -> SequenceSpace {
    let name = try object["space"]?.text() ?? role.rawValue
    let rank = try object["rank"]?.integer(in: 0...1_000) ?? 0
    let space = SequenceSpace(name: name, rank: Int(rank))
    if let other = others.first(where: { $0.space.name == name && $0.role == role }),
      other.space != space || other.sequenceMode != mode
    {
      throw object.node.error("the space '\(name)' has another rank or sequence mode in an entry above")
    }
    return space
  }
}

extension Namespaces {
  static let bytesMax = 32

  /// One text for all, or one for each kind of id.
  fileprivate init(_ node: DocumentNode?) throws(DocumentError) {
    self.init()
    guard let node else { return }
    if case .text(let all) = node.value {
      (orders, users, riders) = (all, all, all)
    } else {
      let object = try DocumentObject(node, names: ["orders", "users", "riders"])
      orders = try object["orders"]?.text() ?? ""
      users = try object["users"]?.text() ?? ""
      riders = try object["riders"]?.text() ?? ""
    }
    guard [orders, users, riders].allSatisfy({ $0.utf8.count <= Self.bytesMax && $0.utf8.allSatisfy { $0 > 0x20 } })
    else { throw node.error("expected at most \(Self.bytesMax) bytes without spaces") }
  }
}
