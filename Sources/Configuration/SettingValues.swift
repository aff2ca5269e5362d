/// The raw texts of all settings, each from the strongest source that gave one: flag, environment, file, default.
public struct SettingValues: Sendable {
  public enum Source: String, Sendable { case flag, environment, file, `default` }

  struct Entry: Sendable {
    var text: String
    var source: Source
  }

  private(set) var entries: [String: Entry] = [:]

  /// - Parameters:
  ///   - flags, environment, file: values by full name. An empty value counts as not given.
  /// - Throws: unknown `DOORSTEP_` names (with the nearest known one), unreadable `_FILE`s, values of the wrong form.
  public init(
    flags: [String: String] = [:], environment: [String: String], file: [String: String] = [:]
  ) throws(ConfigurationError) {
    var problems = Self.unknownNames(in: flags) + Self.unknownNames(in: environment) + Self.unknownNames(in: file)
    for setting in SettingsTable.all {
      do throws(ConfigurationError) {
        for (values, source) in [(flags, Source.flag), (environment, .environment), (file, .file)]
        where entries[setting.name] == nil {
          entries[setting.name] = try Self.entry(of: setting, in: values, source)
        }
      } catch {
        problems += error.problems
      }
      if entries[setting.name] == nil, let text = setting.defaultText {
        entries[setting.name] = Entry(text: text, source: .default)
      }
    }
    for setting in SettingsTable.all {
      guard let entry = entries[setting.name], !setting.accepts(entry.text) else { continue }
      let value = setting.isSecret ? "its value" : "'\(entry.text)'"
      problems.append(
        .init(setting: setting.name, problem: "cannot be \(value)", expected: setting.expected))
    }
    guard problems.isEmpty else { throw ConfigurationError(problems) }
  }

  private static func entry(
    of setting: any AnySetting, in values: [String: String], _ source: Source
  ) throws(ConfigurationError) -> Entry? {
    let direct = values[setting.name].flatMap { $0.isEmpty ? nil : $0 }
    guard let variable = setting.fileVariable, let path = values[variable], !path.isEmpty else {
      return direct.map { Entry(text: $0, source: source) }
    }
    guard direct == nil else {
      throw ConfigurationError(
        setting: setting.name, problem: "is given twice", expected: "either it or \(variable), not both")
    }
    switch FileText.read(path) {
    case .success(let text): return Entry(text: text, source: source)
    case .failure(let failure):
      throw ConfigurationError(
        setting: variable, problem: "names \(path), which cannot be read: \(failure.reason)",
        expected: "a readable file with the value of \(setting.name)")
    }
  }

  private static func unknownNames(in values: [String: String]) -> [ConfigurationError.Problem] {
    values.keys.sorted().compactMap { name in
      guard name.hasPrefix("DOORSTEP_"), !knownNames.contains(name) else { return nil }
      let nearest = knownNames.sorted().min { editDistance(name, $0) < editDistance(name, $1) }
      return .init(
        setting: name, problem: "is not a setting of Doorstep",
        expected: nearest.map { "perhaps \($0)" } ?? "a name listed in docs/configuration.md")
    }
  }

  private static let knownNames: Set<String> = Set(
    SettingsTable.all.flatMap { [$0.name] + ($0.fileVariable.map { [$0] } ?? []) })

  /// The value of a setting that has no default; nil when none was given.
  public func optional<Value>(_ setting: Setting<Value>) -> Value? {
    entries[setting.name].flatMap { setting.kind.parse($0.text) }
  }

  /// The value of a setting that must have one, given or by default.
  public func required<Value>(_ setting: Setting<Value>) throws(ConfigurationError) -> Value {
    guard let value = optional(setting) else {
      throw ConfigurationError(setting: setting.name, problem: "is not set", expected: setting.expected)
    }
    return value
  }

  /// `NAME=value` of every setting that has a value, with where it came from; secrets only as `(secret)`.
  public func redactedLines() -> [String] {
    SettingsTable.all.compactMap { setting in
      entries[setting.name].map {
        "\(setting.name)=\(setting.isSecret && $0.source != .default ? "(secret)" : $0.text)  # \($0.source.rawValue)"
      }
    }
  }
}
