/// What PostgreSQL or the way to it said, with a verdict on whether the same thing may be tried again.
public struct PostgresError: Error, CustomStringConvertible {
  public enum Verdict: Sendable {
    /// The moment is to blame: connection, shutdown, lock, serialization, resources (rule 1.10).
    case retry
    /// The data is to blame: SQLSTATE class 22 or 23.
    case refused
    /// We are: a statement that can never work.
    case bug
  }

  /// Five characters; `08000` when the connection itself failed.
  public let sqlState: String
  /// Without values of rows.
  public let message: String

  public init(sqlState: String, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// Classes of docs/delivery-semantics.md 1.10, and statement names lost behind a pooler.
  public var verdict: Verdict {
    let retried = ["25006", "26000", "42P05", "0A000"]
    if retried.contains(sqlState) { return .retry }
    switch sqlState.prefix(2) {
    case "08", "40", "53", "55", "57", "58": return .retry
    case "22", "23": return .refused
    default: return .bug
    }
  }

  /// The session must be given up: it is gone, or it sits on a server that only reads.
  var endsSession: Bool {
    ["08", "57", "26"].contains(sqlState.prefix(2)) || ["25006", "42P05", "0A000"].contains(sqlState)
  }

  public var description: String { "PostgreSQL \(sqlState): \(message)" }
}
