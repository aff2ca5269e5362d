import Glibc
import Playground
import Postgres
import TestFixtures
import Testing

@testable import Store

/// The schema's versions: applied once, in order, by one of many; and which binaries may run on them.
@Suite struct MigratorTests {
  private static let first = Migration(
    version: 1, name: "first", oldestBinary: 1, bytes: Array("create table a (x int);".utf8))
  private static let second = Migration(
    version: 2, name: "second", oldestBinary: 1, bytes: Array("alter table a add y int;".utf8))
  private static let contraction = Migration(
    version: 3, name: "third", oldestBinary: 3, bytes: Array("alter table a drop x;".utf8))

  /// A database without any schema.
  private static func withEmptyDatabase(_ body: (String) async throws -> Void) async throws {
    try await TestFixtures.withDatabase { url in
      let connection = PostgresConnection(url: url, name: "pg-test")
      try await connection.execute(script: "drop schema public cascade; create schema public")
      await connection.close()
      try await body(url)
    }
  }

  @Test func everyFileIsEmbedded() throws {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let directory = try #require(opendir("/\(folder)/sql"))
    defer { closedir(directory) }
    var files: Set<String> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".sql") { files.insert(name) }
    }
    let embedded = Migration.all.map { migration in
      let digits = String(migration.version)
      return String(repeating: "0", count: 4 - digits.count) + "\(digits)_\(migration.name).sql"
    }
    #expect(files == Set(embedded))
    #expect(Migration.all.map(\.version) == (1...Int32(Migration.all.count)).map { $0 })
  }

  @Test func appliesWhatIsMissingOnce() async throws {
    try await Self.withEmptyDatabase { url in
      let one = Migrator(url: url, migrations: [Self.first])
      #expect(try await one.migrate() == [1])
      let two = Migrator(url: url, migrations: [Self.first, Self.second])
      #expect(try await two.migrate() == [2])
      #expect(try await two.migrate() == [])
      try await two.check()
      try await one.check()
    }
  }

  @Test func replicasThatStartTogetherWaitForEachOther() async throws {
    try await Self.withEmptyDatabase { url in
      let applied = try await withThrowingTaskGroup(of: [Int32].self) { group in
        for _ in 0..<4 { group.addTask { try await Migrator(url: url).migrate() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(applied.filter { !$0.isEmpty } == [Migration.all.map(\.version)])
    }
  }

  @Test func aFailedStepLeavesNothing() async throws {
    try await Self.withEmptyDatabase { url in
      let broken = Migration(version: 2, name: "broken", oldestBinary: 1, bytes: Array("create tabel b ();".utf8))
      await #expect(throws: PostgresError.self) {
        try await Migrator(url: url, migrations: [Self.first, broken]).migrate()
      }
      let applied = try await Migrator(url: url, migrations: [Self.first]).migrate()
      #expect(applied == [1])
    }
  }

  @Test func saysWhatToDoWhenTheSchemaDoesNotFit() async throws {
    try await Self.withEmptyDatabase { url in
      let all = Migrator(url: url, migrations: [Self.first, Self.second, Self.contraction])
      await #expect(throws: SchemaMismatch.tooOld(found: 0, wanted: 3)) { try await all.check() }
      _ = try await Migrator(url: url, migrations: [Self.first, Self.second]).migrate()
      await #expect(throws: SchemaMismatch.tooOld(found: 2, wanted: 3)) { try await all.check() }
      _ = try await all.migrate()
      try await all.check()
      await #expect(throws: SchemaMismatch.tooNew(found: 3, oldestBinary: 3, binary: 2)) {
        try await Migrator(url: url, migrations: [Self.first, Self.second]).check()
      }
      #expect("\(SchemaMismatch.tooOld(found: 2, wanted: 3))".contains("doorstep migrate"))
    }
  }

  @Test func anAppliedFileMustNotChange() async throws {
    try await Self.withEmptyDatabase { url in
      _ = try await Migrator(url: url, migrations: [Self.first]).migrate()
      let changed = Migration(
        version: 1, name: "first", oldestBinary: 1, bytes: Array("create table a (x bigint);".utf8))
      let migrator = Migrator(url: url, migrations: [changed])
      await #expect(throws: SchemaMismatch.changed(version: 1, name: "first")) { try await migrator.migrate() }
      await #expect(throws: SchemaMismatch.changed(version: 1, name: "first")) { try await migrator.check() }
    }
  }
}
