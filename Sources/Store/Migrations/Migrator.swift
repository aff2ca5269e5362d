import Postgres

/// Brings a database to the schema of this binary, and says whether this binary may run on the schema it finds.
///
/// Needs a session of its own (no transaction pooler): it holds an advisory lock while it works.
public struct Migrator: Sendable {
  private let connection: PostgresConnection
  private let migrations: [Migration]

  /// A new index over a large table takes its time; waiting for a lock must not hold up everybody behind us.
  private static let settings = {
    var settings = PostgresSettings()
    settings.statementMilliseconds = 3_600_000
    settings.lockMilliseconds = 10_000
    settings.applicationName = "doorstep migrate"
    return settings
  }()

  public init(url: String, migrations: [Migration] = Migration.all) {
    connection = PostgresConnection(url: url, name: "pg-migrate", settings: Self.settings)
    self.migrations = migrations
  }

  /// The version of the schema that this binary is built for.
  public var wantedVersion: Int32 { migrations.last?.version ?? 0 }

  /// Applies what is missing, all or nothing; replicas that start together wait for each other.
  ///
  /// - Returns: the versions that were applied now, in order.
  public func migrate() async throws -> [Int32] {
    let migrations = migrations
    return try await connection.transaction { (scope: TransactionScope) in
      _ = try scope.run(Call(Self.lock))
      try scope.execute(script: Self.table)
      let applied = try Self.applied(scope.run(Call(Self.read)))
      try Self.verify(applied, against: migrations)
      let missing = migrations.filter { $0.version > applied.last?.version ?? 0 }
      for migration in missing {
        try scope.execute(script: migration.script)
        _ = try scope.run(Call(Self.note, Self.parameters(of: migration)))
      }
      return missing.map(\.version)
    }
  }

  /// Throws unless this binary may run on the schema as it is; changes nothing.
  public func check() async throws {
    let applied = try await applied()
    try Self.verify(applied, against: migrations)
    let found = applied.last?.version ?? 0
    guard found >= wantedVersion else {
      throw SchemaMismatch.tooOld(found: found, wanted: wantedVersion)
    }
    let oldestBinary = applied.map(\.oldestBinary).max() ?? 0
    guard oldestBinary <= wantedVersion else {
      throw SchemaMismatch.tooNew(found: found, oldestBinary: oldestBinary, binary: wantedVersion)
    }
  }

  public func close() async { await connection.close() }

  private func applied() async throws -> [AppliedMigration] {
    do { return try Self.applied(await connection.run(Call(Self.read))) } catch let error as PostgresError {
      guard error.sqlState == "42P01" else { throw error }
      return []
    }
  }

  private static func verify(_ applied: [AppliedMigration], against known: [Migration]) throws {
    for step in applied {
      guard let ours = known.first(where: { $0.version == step.version }) else { continue }
      guard ours.checksum == step.checksum else { throw SchemaMismatch.changed(version: step.version, name: ours.name) }
    }
  }

  private static func applied(_ rows: Rows) throws -> [AppliedMigration] {
    (0..<rows.count).compactMap { row in
      guard let version = rows.int32(row, 0), let checksum = rows.bytes(row, 1), let oldest = rows.int32(row, 2)
      else { return nil }
      return AppliedMigration(version: version, checksum: checksum, oldestBinary: oldest)
    }
  }

  private static func parameters(of migration: Migration) -> [Parameter] {
    [
      .int32(migration.version), .text(migration.name), .bytes(migration.checksum), .int32(migration.oldestBinary),
    ]
  }

  /// The number is arbitrary but for ever: "door" in ASCII.
  private static let lock = Statement("migration_lock", "select pg_advisory_xact_lock(1685024626)")
  private static let read = Statement(
    "migrations", "select version, checksum, oldest_binary from schema_migrations order by version")
  private static let note = Statement(
    "note_migration",
    """
    insert into schema_migrations (version, name, checksum, oldest_binary, applied_at)
    values ($1, $2, $3, $4, clock_timestamp())
    """)
  private static let table = """
    create table if not exists schema_migrations (
      version int primary key check (version >= 1),
      name text not null,
      checksum bytea not null check (octet_length(checksum) = 32),
      oldest_binary int not null check (oldest_binary between 1 and version),
      applied_at timestamptz not null
    );
    comment on table schema_migrations is 'Steps of sql/ that were applied, in order.';
    comment on column schema_migrations.checksum is 'SHA-256 of the file: it must not change once applied.';
    comment on column schema_migrations.oldest_binary is
      'Binaries built for a lower schema version cannot run on this schema.';
    comment on column schema_migrations.applied_at is 'The database''s clock.';
    """
}

private struct AppliedMigration {
  var version: Int32
  var checksum: [UInt8]
  var oldestBinary: Int32
}

/// The schema and this binary do not fit; says what to do.
public enum SchemaMismatch: Error, Equatable, CustomStringConvertible {
  case tooOld(found: Int32, wanted: Int32)
  case tooNew(found: Int32, oldestBinary: Int32, binary: Int32)
  case changed(version: Int32, name: String)

  public var description: String {
    switch self {
    case .tooOld(let found, let wanted):
      "the database's schema has version \(found), this program needs \(wanted); run: doorstep migrate"
    case .tooNew(let found, let oldestBinary, let binary):
      "the database's schema has version \(found), which only programs built for schema \(oldestBinary) or later can "
        + "use, and this one is built for \(binary); run a newer doorstep"
    case .changed(let version, let name):
      "migration \(version) (\(name)) differs from what was applied to this database; applied migrations never change: "
        + "restore sql/ and rebuild doorstep"
    }
  }
}
