/// One setting of the table: its name in the environment, its values, its default and what it is for.
public struct Setting<Value: Sendable>: Sendable {
  public let name: String
  let kind: SettingKind<Value>
  /// In the form in which a user would write it; nil when there is none.
  public let defaultText: String?
  public let meaning: String
  /// Never printed; may also come from the file that `<name>_FILE` names.
  public let isSecret: Bool

  init(
    _ name: String, _ kind: SettingKind<Value>, default defaultText: String? = nil, isSecret: Bool = false,
    _ meaning: String
  ) {
    self.name = name
    self.kind = kind
    self.defaultText = defaultText
    self.meaning = meaning
    self.isSecret = isSecret
  }
}

/// A setting without its type, for what treats all alike: names, validation, printing, documentation.
public protocol AnySetting: Sendable {
  var name: String { get }
  var defaultText: String? { get }
  var meaning: String { get }
  var expected: String { get }
  var isSecret: Bool { get }
  func accepts(_ text: String) -> Bool
}

extension Setting: AnySetting {
  public var expected: String { kind.expected }
  public func accepts(_ text: String) -> Bool { kind.parse(text) != nil }
}

extension AnySetting {
  /// The variable that names a file with the value; nil for settings that are no secrets.
  var fileVariable: String? { isSecret ? name + "_FILE" : nil }
}
