import Configuration
import Store

extension Command {
  static let migrate = Command(
    name: "migrate", usage: "migrate [--check]",
    summary: "brings the database to this binary's schema, or with --check says whether it is there"
  ) { arguments in
    guard arguments.isEmpty || arguments == ["--check"] else {
      Terminal.error("usage: doorstep migrate [--check]")
      return ExitStatus.wrongUse
    }
    do {
      let settings = try Settings(environment: ProcessEnvironment.read())
      let migrator = Migrator(url: settings.database.directURL.text)
      if arguments.isEmpty {
        let applied = try await migrator.migrate()
        Terminal.print("schema version \(migrator.wantedVersion), \(applied.count) migrations applied")
      } else {
        try await migrator.check()
        Terminal.print("schema version \(migrator.wantedVersion)")
      }
      await migrator.close()
      return ExitStatus.done
    } catch { return Configured.report(error) }
  }
}
