import Domain

/// A push that cannot be built: our own fault or the configuration's, never worth a repeat.
public struct PayloadRefused: Error, Equatable, CustomStringConvertible, Sendable {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Limits of APNs and ActivityKit on what a push may carry, in bytes of UTF-8 (docs/apns.md 1.9).
public enum PayloadLimits {
  public static let payloadBytesMax = 4_096
  /// Attributes and state share ActivityKit's 4 KB on the phone; this much of it belongs to the attributes.
  public static let attributesBytesMax = 1_024
  public static let contentStateBytesMax = 3_072
  /// A card stays on the Lock Screen no longer than this after its end, whatever is asked for.
  public static let dismissalSecondsMax: Int64 = 4 * 3_600
}

/// Turns a decided push into its exact bytes: canonical, complete, within the limits, or refused.
///
/// The same plan and snapshot always give the same bytes. Keys are written in one order, absent optionals are left out.
public struct PayloadBuilder: Sendable {
  private let texts: Texts

  public init(texts: Texts = .neutral) { self.texts = texts }

  /// - Parameters:
  ///   - apsTimestamp: whole Unix seconds, strictly increasing per card (docs/delivery-semantics.md 2).
  ///   - installation: the phone; decides what its system understands.
  /// - Throws: `PayloadRefused` when no form of it fits the limits or the plan makes no sense.
  public func build(
    _ plan: PushPlan, order: OrderID, snapshot: Snapshot, apsTimestamp: Int64, installation: Installation
  ) throws(PayloadRefused) -> [UInt8] {
    guard (1_000_000_000...9_999_999_999).contains(apsTimestamp) else {
      throw PayloadRefused("aps.timestamp: expected whole Unix seconds of ten digits, got \(apsTimestamp)")
    }
    for economy in Economy.allCases {
      let push = PushContent(
        plan: plan, order: order, snapshot: snapshot.reduced(by: economy), apsTimestamp: apsTimestamp,
        installation: installation, texts: texts)
      if let bytes = try push.bytesWithinLimits() { return bytes }
    }
    throw PayloadRefused(
      "the push of \(plan.rule) has over \(PayloadLimits.payloadBytesMax) bytes even without its optional fields")
  }
}

/// What is given up, step by step, until a push fits. Stage, sequence, arrival and ids are never touched.
enum Economy: CaseIterable {
  case nothing
  /// Names are cut to 120 bytes.
  case longNames
  /// The rider's name goes, the store's is cut to 40 bytes.
  case names
  /// Range, distance and stops go too.
  case details
}

extension Snapshot {
  func reduced(by economy: Economy) -> Snapshot {
    guard economy != .nothing else { return self }
    var reduced = self
    reduced.storeName = storeName?.cut(toBytes: economy == .longNames ? 120 : 40)
    reduced.riderName = economy == .longNames ? riderName?.cut(toBytes: 120) : nil
    if economy == .details {
      reduced.earliest = nil
      reduced.latest = nil
      reduced.remainingMeters = nil
      reduced.stopsBefore = nil
    }
    return reduced
  }
}
