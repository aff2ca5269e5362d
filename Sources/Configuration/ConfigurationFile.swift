import Documents

/// A configuration file, YAML or JSON: the settings by their names without `DOORSTEP_`, in camel case and nested as one
/// likes (`kafka: {brokers: ...}`, `kafkaBrokers: ...` and `DOORSTEP_KAFKA_BROKERS` are one setting), and `apps:`.
struct ConfigurationFile {
  var values: [String: String] = [:]
  var apps: [Settings.App] = []

  init(path: String) throws(ConfigurationError) {
    do {
      try self.init(Document.read(path: path))
    } catch {
      throw ConfigurationError(
        setting: "\(error.file)\(error.position.map { ":\($0.line):\($0.column)" } ?? "")", problem: "is wrong",
        expected: "a valid configuration file: \(error.message)")
    }
  }

  init(_ root: DocumentNode) throws(DocumentError) {
    if root.isNull { return }
    for member in try root.members() {
      if member.name == "apps" { apps = try Self.apps(member.node) } else { try add(member, under: "DOORSTEP") }
    }
  }

  private mutating func add(_ member: DocumentNode.Member, under prefix: String) throws(DocumentError) {
    let name = prefix + "_" + Self.upperSnake(member.name)
    switch member.node.value {
    case .null: break
    case .object(let members): for inner in members { try add(inner, under: name) }
    case .list(let nodes):
      var words: [String] = []
      for node in nodes { words.append(try node.word()) }
      try set(name, words.joined(separator: ","), at: member.node)
    default: try set(name, member.node.word(), at: member.node)
    }
  }

  private mutating func set(_ name: String, _ value: String, at node: DocumentNode) throws(DocumentError) {
    guard values.updateValue(value, forKey: name) == nil else {
      throw node.error("\(name) is given twice; write it once")
    }
  }

  /// `orderTopics` -> `ORDER_TOPICS`; runs of capitals stay together (`bundleIDs` -> `BUNDLE_IDS`).
  static func upperSnake(_ name: String) -> String {
    var output = ""
    var afterCapital = true
    for character in name {
      if character.isUppercase && !afterCapital { output += "_" }
      afterCapital = character.isUppercase || character == "_"
      output += character.uppercased()
    }
    return output
  }

  private static func apps(_ node: DocumentNode) throws(DocumentError) -> [Settings.App] {
    var apps: [Settings.App] = []
    for entry in try node.list() {
      let object = try DocumentObject(entry, names: ["teamId", "keyId", "keyFile", "bundleIds", "mode"])
      var bundleIDs: [String] = []
      for bundleID in try object.required("bundleIds").list() { bundleIDs.append(try bundleID.text()) }
      apps.append(
        Settings.App(
          teamID: try object.required("teamId").text(), keyID: try object.required("keyId").text(),
          keyFile: try object.required("keyFile").text(), bundleIDs: bundleIDs, mode: try mode(object["mode"])))
    }
    return apps
  }

  private static func mode(_ node: DocumentNode?) throws(DocumentError) -> Mode? {
    guard let node else { return nil }
    guard let mode = Mode(try node.word()) else { throw node.error("expected \(SettingKind<Mode>.mode.expected)") }
    return mode
  }
}
