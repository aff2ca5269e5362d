import Domain

/// How far the service may go now: the roll-out mode and the kill switches of operators.
public struct Rollout: Equatable, Sendable {
  public enum Mode: Equatable, Sendable {
    /// Pushes nothing.
    case off
    /// Decides and records, pushes nothing.
    case shadow
    /// Pushes only to users on the list.
    case allowList
    /// Pushes to that share of users, 0 to 100, always the same ones.
    case percent(Int)
    case on
  }

  public var mode: Mode
  /// Modes of apps that have one of their own in the configuration, by bundle id; operators do not change them.
  public var appModes: [String: Mode] = [:]
  /// Who is pushed to in mode `allowList`.
  public var allowList: Set<UserID>
  /// No new cards by push; those that run go on.
  public var startsPaused: Bool
  /// Bundle ids of apps to which nothing is pushed.
  public var pausedApps: Set<String>

  public init(
    mode: Mode = .on, allowList: Set<UserID> = [], startsPaused: Bool = false, pausedApps: Set<String> = []
  ) {
    self.mode = mode
    self.allowList = allowList
    self.startsPaused = startsPaused
    self.pausedApps = pausedApps
  }

  /// Whether a decided push may leave.
  public func permits(_ event: PushPlan.Event, to installation: Installation) -> Bool {
    if pausedApps.contains(installation.bundleID) || (event == .start && startsPaused) { return false }
    switch appModes[installation.bundleID] ?? mode {
    case .off, .shadow: return false
    case .on: return true
    case .allowList: return installation.user.map(allowList.contains) ?? false
    case .percent(let share): return Self.bucket(installation.user?.text ?? installation.id.text) < share
    }
  }

  /// 0 to 99, the same for the same text on every machine (FNV-1a).
  static func bucket(_ text: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int((hash ^ hash >> 32) % 100)
  }
}

extension Rollout.Mode: CustomStringConvertible {
  /// Reads `off`, `shadow`, `allow-list`, `percent:N` (0...100) or `on`; nil on anything else.
  public init?(_ text: String) {
    switch text {
    case "off": self = .off
    case "shadow": self = .shadow
    case "allow-list": self = .allowList
    case "on": self = .on
    default:
      guard text.hasPrefix("percent:"), let share = Int(text.dropFirst(8)), (0...100).contains(share) else {
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

/// Where the roll-out that counts now is read; it may change at any time.
public protocol RolloutSource: Sendable {
  var current: Rollout { get }
}

/// A roll-out that nobody changes.
public struct FixedRollout: RolloutSource {
  public let current: Rollout

  public init(_ rollout: Rollout = Rollout()) { current = rollout }
}
