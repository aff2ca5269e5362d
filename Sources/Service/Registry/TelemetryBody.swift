import Codecs
import Domain

/// `POST /v1/installations/{installationId}/reports`, understood: what an app noticed about its cards.
public struct Telemetry: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case permissionChange, startError, runningActivities, tap, decodeFailure
  }

  public struct Entry: Equatable, Sendable {
    public var kind: Kind
    /// Name of an error, a permission or a tap's source; free text of the app, so it never becomes a metric label.
    public var name: String?
    public var order: OrderID?
    public var count: Int64?
  }

  public static let entriesMax = 50

  public var entries: [Entry]

  public init(body: [UInt8]) throws(BodyRefused) {
    entries = try BodyReader.read(body) { body throws(BodyRefused) in
      var entries: [Entry] = []
      for reader in try body.readers("reports", max: Telemetry.entriesMax) { entries.append(try Entry(reader)) }
      guard !entries.isEmpty else { throw body.invalid("reports", "1 to \(Telemetry.entriesMax) reports") }
      return entries
    }
  }
}

extension Telemetry.Entry {
  fileprivate init(_ body: BodyReader) throws(BodyRefused) {
    let kind: Telemetry.Kind? = try body.word("kind")
    let expected = "one of " + Telemetry.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    self.kind = try body.required("kind", kind, expected)
    name = try body.text("name")
    order = try body.identifier("orderId").map { OrderID($0) }
    count = try body.integer("count")
  }
}
