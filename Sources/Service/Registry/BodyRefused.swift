/// A body that cannot be taken: where in it, and what was expected.
public enum BodyRefused: Error, Equatable, CustomStringConvertible, Sendable {
  /// Not a JSON document of ours at all.
  case malformed(String)
  /// A JSON document with a wrong member; `pointer` as in RFC 6901.
  case invalid(pointer: String, expected: String)

  public var description: String {
    switch self {
    case .malformed(let reason): "the body \(reason)"
    case .invalid(let pointer, let expected): "\(pointer): expected \(expected)"
    }
  }
}

/// Limits on what callers may send, so that rows and payloads stay bounded.
public enum RegistrationLimits {
  public static let idBytesMax = 200
  public static let wordBytesMax = 100
  public static let startTokenTypesMax = 8
  public static let activitiesMax = 20
  public static let tokenExpectation = "hexadecimal digits, an even number from 2 to 400"

  /// Identifiers are foreign text: any UTF-8 without control characters.
  public static func isIdentifier(_ text: String) -> Bool {
    (1...idBytesMax).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }
}
