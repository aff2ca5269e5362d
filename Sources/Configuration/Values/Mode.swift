/// How far this instance may go: the roll-out mode.
public enum Mode: Hashable, Sendable, CustomStringConvertible {
  /// Decides nothing and pushes nothing.
  case off
  /// Decides and records, pushes nothing.
  case shadow
  /// Pushes only to users on the list that operators keep.
  case allowList
  /// Pushes to that share of users, chosen by a stable hash of the user id.
  case percent(Int)
  case on

  /// Reads `off`, `shadow`, `allow-list`, `percent:N` (0...100) or `on`; nil on anything else.
  public init?(_ text: String) {
    switch text {
    case "off": self = .off
    case "shadow": self = .shadow
    case "allow-list": self = .allowList
    case "on": self = .on
    default:
      let prefix = "percent:"
      guard text.hasPrefix(prefix), let share = Int(text.dropFirst(prefix.count)), (0...100).contains(share) else {
        return nil
      }
      self = .percent(share)
    }
  }

  public var description: String {
    switch self {
    case .off: "off"
    case .shadow: "shadow"
    case .allowList: "allow-list"
    case .percent(let share): "percent:\(share)"
    case .on: "on"
    }
  }
}
