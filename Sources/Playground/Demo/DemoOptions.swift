/// What `doorstep demo` was asked to do.
public struct DemoOptions: Equatable, Sendable {
  public struct WrongUse: Error, CustomStringConvertible {
    public let description: String
  }

  public var trips: [String] = []
  /// Card seconds per real second.
  public var speed = 60.0
  public var orders = 120
  /// Folder for the raw logs; nil keeps none.
  public var logs: String?
  /// Leaves everything running after the report, until Ctrl-C.
  public var keep = false
  public var seed: UInt64 = 1

  public static let speeds = 1.0...600.0
  public static let orderCounts = 1...2_000

  public static let usage =
    "demo [--trips FILE...] [--speed N] [--orders N] [--logs DIR] [--keep] [--seed N]"

  public init() {}

  /// Reads the arguments that follow `doorstep demo`.
  public init(arguments: [String]) throws(WrongUse) {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      switch flag {
      case "--trips":
        while let file = rest.first, !file.hasPrefix("--") { trips.append(rest.removeFirst()) }
        guard !trips.isEmpty else { throw WrongUse(description: "--trips needs at least one file, CSV or GPX") }
      case "--keep": keep = true
      case "--speed": speed = try Self.number(flag, rest.popFirst(), within: Self.speeds)
      case "--orders": orders = try Self.number(flag, rest.popFirst(), within: Self.orderCounts)
      case "--seed": seed = try Self.number(flag, rest.popFirst(), within: 0...UInt64.max)
      case "--logs":
        guard let folder = rest.popFirst(), !folder.hasPrefix("--") else {
          throw WrongUse(description: "--logs needs a folder")
        }
        logs = folder
      default: throw WrongUse(description: "doorstep demo has no option '\(flag)'; usage: doorstep \(Self.usage)")
      }
    }
  }

  private static func number<Number: LosslessStringConvertible & Comparable>(
    _ flag: String, _ text: String?, within range: ClosedRange<Number>
  ) throws(WrongUse) -> Number {
    guard let text, let number = Number(text), range.contains(number) else {
      let given = text.map { "'\($0)'" } ?? "nothing"
      throw WrongUse(description: "\(flag) \(given): expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
