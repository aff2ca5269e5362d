import Observability
import Runtime
import Service
import Store

/// Waits for the database at start, says so, and keeps an eye on it afterwards.
final class DatabaseGate: ManagedService {
  let name = "database"
  static let lookSeconds = 1.0

  private let parts: Parts
  private let condition: Health.Condition
  private let watch: Loop

  init(parts: Parts) {
    self.parts = parts
    let condition = parts.health.condition("database", isRequired: true)
    self.condition = condition
    watch = Loop(name: "database") {
      while !Task.isCancelled {
        await parts.clock.pause(seconds: DatabaseGate.lookSeconds)
        do {
          try await parts.store.ping()
          condition.well()
        } catch { condition.unwell("\(error)") }
      }
    } failed: { _ in
    }
  }

  /// Returns when the database answers with a schema that this binary can work on.
  /// - Throws: `SchemaMismatch` when it answers with another one.
  func open() async throws {
    let migrator = Migrator(url: parts.settings.database.directURL.text)
    do {
      while true {
        if try await isOpen(migrator) { return await migrator.close() }
        try Task.checkCancellation()
        await parts.clock.pause(seconds: Self.lookSeconds)
      }
    } catch {
      await migrator.close()
      throw error
    }
  }

  private func isOpen(_ migrator: Migrator) async throws -> Bool {
    do {
      try await PostgresStore.guarding { try await migrator.check() }
      condition.well()
      return true
    } catch let error as StoreUnavailable {
      condition.unwell(error.reason)
      parts.logger.log(.databaseAway, .error(error))
      return false
    }
  }

  func start() async throws { try await watch.start() }

  func drain() async {
    await watch.drain()
    await parts.store.close()
  }
}
