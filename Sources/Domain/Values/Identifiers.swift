/// A name given by somebody else (the platform, the app). Compared byte for byte, never interpreted.
public struct Identifier<Kind>: Hashable, Comparable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

public enum OrderKind {}
public enum UserKind {}
public enum RiderKind {}
public enum InstallationKind {}

public typealias OrderID = Identifier<OrderKind>
public typealias UserID = Identifier<UserKind>
public typealias RiderID = Identifier<RiderKind>
/// One installation of one app on one device: the *phone* of docs/delivery-semantics.md.
public typealias InstallationID = Identifier<InstallationKind>
