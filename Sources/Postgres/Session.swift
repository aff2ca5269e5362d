import CPQ
import Glibc

/// The library's connection: one owner, one thread.
final class Session {
  private let connection: OpaquePointer
  private let settings: PostgresSettings
  private var prepared: Set<String> = []

  init(url: String, settings: PostgresSettings) throws(PostgresError) {
    self.settings = settings
    var given: [(String, String)] = [
      ("dbname", url), ("application_name", settings.applicationName),
      ("connect_timeout", "\(settings.connectSeconds)"), ("client_encoding", "UTF8"),
      ("keepalives_idle", "\(settings.silenceSeconds / 2)"), ("keepalives_interval", "\(settings.silenceSeconds / 4)"),
      ("keepalives_count", "2"), ("tcp_user_timeout", "\(settings.silenceSeconds * 1_000)"),
    ]
    if !settings.isPooled {
      let statement = "-c statement_timeout=\(settings.statementMilliseconds)"
      given.append(("options", "\(statement) -c lock_timeout=\(settings.lockMilliseconds)"))
    }
    let names = given.map { strdup($0.0) }
    let values = given.map { strdup($0.1) }
    defer { for pointer in names + values { free(pointer) } }
    let opened = PQconnectdbParams(
      names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    guard let opened else { throw PostgresError(sqlState: "08000", message: "out of memory") }
    guard PQstatus(opened) == CONNECTION_OK else {
      defer { PQfinish(opened) }
      throw PostgresError(sqlState: "08001", message: Self.advice(on: Self.text(PQerrorMessage(opened))))
    }
    connection = opened
    // Notices are for a person at a terminal.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  var isAlive: Bool { PQstatus(connection) == CONNECTION_OK }

  func execute(_ script: String) throws(PostgresError) {
    guard let result = PQexec(connection, script) else { throw lost() }
    defer { PQclear(result) }
    if let error = error(of: result) { throw error }
  }

  /// Ends a transaction that failed; what this says no longer matters.
  func rollBackQuietly() {
    guard isAlive, PQtransactionStatus(connection) != PQTRANS_IDLE else { return }
    PQclear(PQexec(connection, "rollback"))
  }

  /// All calls, in order, in one round trip. The first error is thrown; the calls behind it were not run.
  func pipeline(_ calls: [Call]) throws(PostgresError) -> [Rows] {
    guard settings.isPooled else { return try send(calls) }
    let isFirst = PQtransactionStatus(connection) == PQTRANS_IDLE
    return isFirst ? Array(try send([limits] + calls).dropFirst()) : try send(calls)
  }

  /// A pooler hands on neither start-up options nor what was set in an earlier transaction.
  private var limits: Call {
    Call(
      Statement(
        "limits", "select set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)"),
      [.text("\(settings.statementMilliseconds)"), .text("\(settings.lockMilliseconds)")])
  }

  private func send(_ calls: [Call]) throws(PostgresError) -> [Rows] {
    if !settings.isPooled { try prepare(calls) }
    guard let beforeStatement = settings.beforeStatement else { return try roundTrip(calls) }
    var answers: [Rows] = []
    for call in calls {
      beforeStatement(call.statement.name)
      answers += try roundTrip([call])
    }
    return answers
  }

  private func roundTrip(_ calls: [Call]) throws(PostgresError) -> [Rows] {
    guard PQenterPipelineMode(connection) == 1 else { throw lost() }
    defer { PQexitPipelineMode(connection) }
    for call in calls { try send(call) }
    guard PQpipelineSync(connection) == 1 else { throw lost() }
    return try collect(calls.count)
  }

  private func prepare(_ calls: [Call]) throws(PostgresError) {
    for call in calls where !prepared.contains(call.statement.name) {
      var types = call.parameters.map(\.type)
      let result = PQprepare(connection, call.statement.name, call.statement.text, Int32(types.count), &types)
      guard let result else { throw lost() }
      defer { PQclear(result) }
      if let error = error(of: result) { throw error }
      prepared.insert(call.statement.name)
    }
  }

  private func send(_ call: Call) throws(PostgresError) {
    let buffers = call.parameters.map { parameter in
      parameter.bytes.map { bytes in
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(bytes.count, 1))
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(copy).copyMemory(from: $0) }
        return copy
      }
    }
    defer { for buffer in buffers { buffer?.deallocate() } }
    let values = buffers.map { $0.flatMap { UnsafePointer($0.baseAddress) } }
    let lengths = call.parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: values.count)
    let count = Int32(values.count)
    let sent =
      settings.isPooled
      ? PQsendQueryParams(
        connection, call.statement.text, count, call.parameters.map(\.type), values, lengths, formats, 1)
      : PQsendQueryPrepared(connection, call.statement.name, count, values, lengths, formats, 1)
    guard sent == 1 else { throw lost() }
  }

  private func collect(_ count: Int) throws(PostgresError) -> [Rows] {
    var answers: [Rows] = []
    var failure: PostgresError?
    var ends = 0
    // A call's answers end with a null; the whole ends with the sync's own answer.
    while ends <= 2 {
      guard let result = PQgetResult(connection) else {
        ends += 1
        if !isAlive { throw failure ?? lost() }
        continue
      }
      ends = 0
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let failure { throw failure }
        guard answers.count == count else { throw lost() }
        return answers
      case PGRES_PIPELINE_ABORTED: PQclear(result)
      default:
        if let error = error(of: result) {
          failure = failure ?? error
          PQclear(result)
        } else {
          answers.append(Rows(result))
        }
      }
    }
    throw failure ?? lost()
  }

  private func error(of result: OpaquePointer) -> PostgresError? {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
    default: break
    }
    // The field codes are characters; DETAIL, which quotes row values, is left out on purpose.
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
    return PostgresError(sqlState: state ?? "08000", message: message ?? Self.text(PQerrorMessage(connection)))
  }

  private func lost() -> PostgresError {
    PostgresError(sqlState: "08006", message: Self.text(PQerrorMessage(connection)))
  }

  private static func advice(on message: String) -> String {
    guard message.contains("unsupported startup parameter") else { return message }
    return "\(message); behind a transaction pooler the direct database URL must be set, too"
  }

  private static func text(_ message: UnsafeMutablePointer<CChar>?) -> String {
    let text = message.map { String(cString: $0) } ?? "no message"
    return text.split(separator: "\n").joined(separator: "; ")
  }
}
