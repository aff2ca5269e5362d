import Domain

/// What a topic carries: decides which event types are known on it and where their sequence comes from.
public enum TopicRole: String, Sendable, CaseIterable { case orders, riders }

/// What one record of the platform became.
public enum Decoded: Equatable, Sendable {
  case event(DeliveryEvent)
  /// A mapping made several events out of one record; never fewer than two.
  case several([DeliveryEvent])
  /// A type that this service does not know: counted, not dead-lettered. The word is the platform's own, cut to
  /// `EventLimits.typeBytesMax` printable bytes; it is not bounded in number and must not become a metric label.
  case skipped(type: String)
  case refused(Refusal)
}

/// Why a record cannot be understood. Carries no value of the record, so it may be logged.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// One word of `Code`: fit for a metric label and for the header `__dlq.errors.code`.
  public var code: String { reason.rawValue }
  /// A sentence that names the field and what was expected.
  public let message: String
  public let reason: Code

  public init(_ reason: Code, _ message: String) {
    self.reason = reason
    self.message = message
  }

  public var description: String { "\(code): \(message)" }

  /// The closed list of reasons (docs/events.md).
  public enum Code: String, CaseIterable, Sendable {
    case tooLarge, empty, notJSON, notUTF8, tooDeep, duplicateKey, unsupportedFormat, unsupportedVersion
    case missingField, wrongType, outOfRange, badTime, badIdentifier, futureTime, keyMismatch, unknownWord
  }
}

/// Limits on what is taken from an event. Identifiers beyond theirs are refused, texts are cut.
public enum EventLimits {
  public static let recordBytesMax = 1 << 20
  public static let identifierBytesMax = 200
  /// Texts for people (names, reasons) are cut here, at a character boundary.
  public static let textBytesMax = 512
  public static let typeBytesMax = 64
  public static let eventsPerRecordMax = 500
  public static let attributesMax = 16
  public static let attributeNameBytesMax = 64
  public static let attributeValueBytesMax = 256
  public static let stopsBeforeMax: Int64 = 1_000
  /// A position or a time-sequenced event this far ahead of the clock is still taken; further ahead it is refused.
  public static let futureToleranceSeconds = 5.0
  public static let accuracyMetersMax = 1_000_000.0
  public static let speedMetersPerSecondMax = 1_000.0
}
