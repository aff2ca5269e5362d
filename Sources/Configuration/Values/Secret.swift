/// A configured value that must not be seen: it prints masked, and is read only where it is used.
public struct Secret: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
