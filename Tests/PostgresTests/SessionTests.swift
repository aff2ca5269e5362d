import Postgres
import TestFixtures
import Testing

/// The face to PostgreSQL, against a real server.
@Suite struct SessionTests {
  private static func connected(
    _ settings: PostgresSettings = PostgresSettings(), _ body: (PostgresConnection, String) async throws -> Void
  ) async throws {
    try await TestFixtures.withDatabase { url in
      let connection = PostgresConnection(url: url, name: "pg-test", settings: settings)
      try await body(connection, url)
      await connection.close()
    }
  }

  private static func number(_ connection: PostgresConnection, _ sql: String) async throws -> Int64? {
    try await connection.run(Call(Statement(sql, sql))).int64(0, 0)
  }

  @Test func valuesComeBackAsTheyWent() async throws {
    try await Self.connected { (connection, _) async throws -> Void in
      let echo = Statement(
        "echo", "select $1::text, $2::bytea, $3::bool, $4::int2, $5::int4, $6::int8, $7::float8, $8::text")
      let rows = try await connection.run(
        Call(
          echo,
          [
            .text("d\u{e9}j\u{e0} \u{1f4e6}"), .bytes([0, 1, 255]), .bool(true), .int16(.min), .int32(.max),
            .int64(.min), .double(-0.1), .text(nil),
          ]))
      #expect(rows.text(0, 0) == "d\u{e9}j\u{e0} \u{1f4e6}")
      #expect(rows.bytes(0, 1) == [0, 1, 255])
      #expect(rows.bool(0, 2) == true)
      #expect(rows.int16(0, 3) == .min)
      #expect(rows.int32(0, 4) == .max)
      #expect(rows.int64(0, 5) == .min)
      #expect(rows.double(0, 6) == -0.1)
      #expect(rows.isNull(0, 7))
      #expect(rows.int32(0, 5) == nil)
    }
  }

  @Test func arraysComeBackAsRows() async throws {
    try await Self.connected { (connection, _) async throws -> Void in
      let unnest = Statement(
        "unnest", "select * from unnest($1::text[], $2::int8[], $3::bytea[], $4::bool[]) as a (a, b, c, d)")
      let rows = try await connection.run(
        Call(
          unnest,
          [.texts(["x", nil]), .int64s([nil, 7]), .byteStrings([[], [9]]), .bools([false, nil])]))
      #expect(rows.count == 2)
      #expect(rows.text(0, 0) == "x" && rows.isNull(1, 0))
      #expect(rows.isNull(0, 1) && rows.int64(1, 1) == 7)
      #expect(rows.bytes(0, 2) == [] && rows.bytes(1, 2) == [9])
      #expect(rows.bool(0, 3) == false && rows.isNull(1, 3))
      let none = try await connection.run(
        Call(unnest, [.texts([]), .int64s([]), .byteStrings([]), .bools([])]))
      #expect(none.count == 0)
    }
  }

  @Test func anErrorEndsItsPipelineAndNotTheSession() async throws {
    try await Self.connected { (connection, _) async throws -> Void in
      let calls = ["select 1::int8", "select 1/0", "select 2::int8"].map { Call(Statement($0, $0)) }
      let error = await #expect(throws: PostgresError.self) { _ = try await connection.run(calls) }
      #expect(error?.sqlState == "22012")
      #expect(error?.verdict == .refused)
      #expect(try await Self.number(connection, "select 3::int8") == 3)
    }
  }

  @Test func aTransactionThatGivesUpLeavesNothing() async throws {
    try await Self.connected { (connection, _) async throws -> Void in
      try await connection.execute(script: "create table t (x int8)")
      let insert = Call(Statement("insert", "insert into t values (1)"))
      struct Stop: Error {}
      await #expect(throws: Stop.self) {
        try await connection.transaction { (scope: TransactionScope) in
          _ = try scope.run(insert)
          throw Stop()
        }
      }
      _ = try await connection.transaction([insert]) { _ in (calls: nil, result: 0) }
      #expect(try await Self.number(connection, "select count(*) from t") == 0)
      let said = try await connection.transaction([insert]) { _ in (calls: [], result: 5) }
      #expect(said == 5)
      #expect(try await Self.number(connection, "select count(*) from t") == 1)
    }
  }

  @Test func aLostSessionIsReplaced() async throws {
    try await Self.connected { (connection, url) async throws -> Void in
      let pid = try await Self.number(connection, "select pg_backend_pid()::int8") ?? 0
      let killer = PostgresConnection(url: url, name: "pg-killer")
      _ = try await Self.number(killer, "select pg_terminate_backend(\(pid))::int::int8")
      await killer.close()
      let error = await #expect(throws: PostgresError.self) { _ = try await Self.number(connection, "select 1::int8") }
      #expect(error?.verdict == .retry)
      #expect(try await Self.number(connection, "select 1::int8") == 1)
      let other = try await Self.number(connection, "select pg_backend_pid()::int8")
      #expect(other != pid)
    }
  }

  /// After a fail-over pooled sessions may still sit on the former primary.
  @Test func aSessionThatOnlyReadsIsGivenUp() async throws {
    try await Self.connected { (connection, _) async throws -> Void in
      try await connection.execute(script: "create table t (x int8); set default_transaction_read_only = on")
      let insert = Call(Statement("insert", "insert into t values (1)"))
      let error = await #expect(throws: PostgresError.self) { _ = try await connection.run(insert) }
      #expect(error?.sqlState == "25006")
      #expect(error?.verdict == .retry)
      _ = try await connection.run(insert)
      #expect(try await Self.number(connection, "select count(*) from t") == 1)
    }
  }

  @Test(arguments: [false, true]) func limitsEndWhatHangs(isPooled: Bool) async throws {
    var settings = PostgresSettings()
    (settings.lockMilliseconds, settings.statementMilliseconds, settings.isPooled) = (50, 200, isPooled)
    try await Self.connected(settings) { (connection, url) async throws -> Void in
      try await connection.execute(script: "create table t (x int8)")
      let holder = PostgresConnection(url: url, name: "pg-holder")
      try await holder.execute(script: "begin; lock table t in access exclusive mode")
      let locked = await #expect(throws: PostgresError.self) {
        _ = try await Self.number(connection, "select count(*) from t")
      }
      #expect(locked?.sqlState == "55P03")
      #expect(locked?.verdict == .retry)
      await holder.close()
      #expect(try await Self.number(connection, "select count(*) from t") == 0)
      let slow = await #expect(throws: PostgresError.self) {
        _ = try await Self.number(connection, "select count(*) from pg_sleep(30)")
      }
      #expect(slow?.sqlState == "57014")
      #expect(slow?.verdict == .retry)
      #expect(try await Self.number(connection, "select count(*) from t") == 0)
    }
  }

  @Test func anAbsentServerIsWorthAnotherTry() async throws {
    let connection = PostgresConnection(url: "postgresql://postgres@127.0.0.1:1/none", name: "pg-test")
    let error = await #expect(throws: PostgresError.self) { _ = try await Self.number(connection, "select 1::int8") }
    #expect(error?.sqlState == "08001")
    #expect(error?.verdict == .retry)
    await connection.close()
  }

  @Test(arguments: [
    ("08006", PostgresError.Verdict.retry), ("25006", .retry), ("26000", .retry), ("40001", .retry), ("40P01", .retry),
    ("42P05", .retry), ("53300", .retry), ("55P03", .retry), ("57P01", .retry), ("22P02", .refused),
    ("23505", .refused), ("42601", .bug), ("42P01", .bug),
  ])
  func theStateDecidesWhoIsToBlame(_ state: String, _ verdict: PostgresError.Verdict) {
    #expect(PostgresError(sqlState: state, message: "").verdict == verdict)
  }
}
