/// How much a line matters. Lines below the logger's level are not made at all.
public enum LogLevel: Int, Comparable, CaseIterable, Sendable {
  case debug, info, warning, error

  public var name: String { String(describing: self) }

  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// How lines look.
public enum LogFormat: String, CaseIterable, Sendable {
  /// One JSON object a line.
  case json
  /// For people at a terminal.
  case text
}
