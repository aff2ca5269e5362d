/// The stages of a delivery in their order, as the simulator's own apps know them.
public enum Step: UInt8, CaseIterable, Comparable, Sendable {
  case placed, accepted, preparing, ready, pickedUp, delivering, arriving, returning
  case delivered, cancelled, failed, returned

  public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }

  public var isTerminal: Bool { self >= .delivered }

  public var name: String { Self.names[Int(rawValue)] }

  public init?(name: String) {
    guard let step = Self.byName[name] else { return nil }
    self = step
  }

  private static let names = [
    "placed", "accepted", "preparing", "ready", "pickedUp", "delivering", "arriving", "returning",
    "delivered", "cancelled", "failed", "returned",
  ]
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}

/// The stages that a shown content may mean: one for most apps, several where an app's words are coarser.
public struct Steps: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public init(_ step: Step) {
    rawValue = 1 << UInt16(step.rawValue)
  }

  public static let any = Steps(rawValue: 0xFFF)

  public func contains(step: Step) -> Bool { contains(Steps(step)) }

  public var highest: Step? { Step.allCases.last { contains(step: $0) } }

  /// The names joined by `|`; `any` when nothing can be told.
  public var text: String {
    self == .any ? "any" : Step.allCases.filter { contains(step: $0) }.map(\.name).joined(separator: "|")
  }
}
