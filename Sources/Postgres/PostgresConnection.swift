import CPQ
import Glibc
import Runtime

/// One session, on a thread of its own. Connects when first used, and again after it was lost.
public actor PostgresConnection {
  private nonisolated let executor: ThreadExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let url: String
  private let settings: PostgresSettings
  private var session: Session?

  public init(url: String, name: String, settings: PostgresSettings = PostgresSettings()) {
    self.url = url
    self.settings = settings
    executor = ThreadExecutor(name: name)
  }

  /// Ends the session and its thread. The connection must not be used afterwards.
  public func close() {
    session = nil
    executor.shutdown()
  }

  /// Runs the calls in order, in one round trip, without a transaction around them.
  public func run(_ calls: [Call]) throws(PostgresError) -> [Rows] {
    try onSession { session throws(PostgresError) in try session.pipeline(calls) }
  }

  public func run(_ call: Call) throws(PostgresError) -> Rows {
    let answers = try run([call])
    guard let rows = answers.first else { throw PostgresError(sqlState: "08000", message: "no answer") }
    return rows
  }

  /// Several statements without parameters, as one script.
  public func execute(script: String) throws(PostgresError) {
    try onSession { session throws(PostgresError) in try session.execute(script) }
  }

  /// A transaction in two round trips: `first` is run, `decide` looks at its answers and gives the calls that finish
  /// it, or nil to roll back. `decide` must not wait.
  public func transaction<Result: Sendable>(
    _ first: [Call], _ decide: @Sendable ([Rows]) throws -> (calls: [Call]?, result: Result)
  ) throws -> Result {
    do {
      return try withSession { session in
        let answers = try session.pipeline([Self.begin] + first)
        let decision = try decide(Array(answers.dropFirst()))
        guard let calls = decision.calls else {
          _ = try session.pipeline([Self.rollback])
          return decision.result
        }
        _ = try session.pipeline(calls + [Self.commit])
        return decision.result
      }
    } catch {
      session?.rollBackQuietly()
      throw error
    }
  }

  /// A transaction of as many steps as the body takes, each a round trip; rolled back when the body throws.
  public func transaction<Result: Sendable>(
    _ body: @Sendable (TransactionScope) throws -> Result
  ) throws -> Result {
    do {
      return try withSession { session in
        _ = try session.pipeline([Self.begin])
        let result = try body(TransactionScope(session: session))
        _ = try session.pipeline([Self.commit])
        return result
      }
    } catch {
      session?.rollBackQuietly()
      throw error
    }
  }

  private static let begin = Call(Statement("begin", "begin"))
  private static let commit = Call(Statement("commit", "commit"))
  private static let rollback = Call(Statement("rollback", "rollback"))

  private func onSession<Result>(
    _ body: (Session) throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    let session = try connected()
    do { return try body(session) } catch {
      if error.endsSession || !session.isAlive { self.session = nil }
      throw error
    }
  }

  private func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
    let session = try connected()
    do { return try body(session) } catch let error as PostgresError {
      if error.endsSession || !session.isAlive { self.session = nil }
      throw error
    }
  }

  private func connected() throws(PostgresError) -> Session {
    if let session, session.isAlive { return session }
    session = nil
    let fresh = try Session(url: url, settings: settings)
    session = fresh
    return fresh
  }
}

/// The inside of a transaction: statements in order, each with its answer.
public struct TransactionScope {
  let session: Session

  public func run(_ calls: [Call]) throws(PostgresError) -> [Rows] { try session.pipeline(calls) }

  public func run(_ call: Call) throws(PostgresError) -> Rows {
    guard let rows = try session.pipeline([call]).first else {
      throw PostgresError(sqlState: "08000", message: "no answer")
    }
    return rows
  }

  public func execute(script: String) throws(PostgresError) { try session.execute(script) }
}

/// Limits of a session; names carry the unit.
public struct PostgresSettings: Sendable {
  public var connectSeconds = 5
  public var statementMilliseconds = 15_000
  public var lockMilliseconds = 5_000
  /// A peer that says nothing for so long, while an answer is awaited or bytes are under way, is given up.
  public var silenceSeconds = 20
  /// The way leads through a transaction pooler: no statement stays prepared, and limits go with each transaction.
  public var isPooled = false
  /// Called on the connection's thread before each statement, which then makes a round trip of its own: tests step
  /// through transactions with it.
  public var beforeStatement: (@Sendable (_ name: String) -> Void)?
  public var applicationName = "doorstep"

  public init() {}
}
