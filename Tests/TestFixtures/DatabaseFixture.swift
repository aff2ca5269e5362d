import Playground
import Postgres
import Runtime
import Store

extension TestFixtures {
  /// Runs `body` with the connection string of a fresh database with today's schema, and drops it afterwards.
  ///
  /// Only a few such bodies run at once, so that tests in parallel stay within the cluster's connections.
  public static func withDatabase<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    await gate.enter()
    let result: Result<Value, any Error>
    do {
      let name = try await create()
      do { result = .success(try await body(try postgres().url(database: name))) } catch { result = .failure(error) }
      try await administer("drop database \(name) with (force)")
    } catch {
      await gate.leave()
      throw error
    }
    await gate.leave()
    return try result.get()
  }

  private static let gate = Gate(places: 6)
  private static let databases = Lock(0)

  private static func create() async throws -> String {
    let template = try await template.value
    let number = databases.withLock { count in
      count += 1
      return count
    }
    try await administer("create database test_\(number) template \(template)")
    return "test_\(number)"
  }

  private static func administer(_ script: String) async throws {
    let administrator = PostgresConnection(url: try postgres().url(), name: "pg-fixture")
    try await administrator.execute(script: script)
    await administrator.close()
  }

  /// Migrated once, copied for each test.
  private static let template = Task { () async throws -> String in
    try await administer("create database template_migrated")
    let migrator = Migrator(url: try postgres().url(database: "template_migrated"))
    _ = try await migrator.migrate()
    await migrator.close()
    return "template_migrated"
  }
}

/// Lets so many in at once; the others wait in line.
actor Gate {
  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { self.places = places }

  func enter() async {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }
}
