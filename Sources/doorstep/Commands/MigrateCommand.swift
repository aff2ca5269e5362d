import Configuration
import Store

extension Command {
  static let migrate = Command(
    name: "migrate", usage: "migrate [--check] [--config FILE]",
    summary: "brings the database to this binary's schema, or with --check says whether it is there"
  ) { arguments in
    do {
      var arguments = arguments
      let settings = try Configured(&arguments).settings
      guard arguments.isEmpty || arguments == ["--check"] else {
        Terminal.error("usage: doorstep migrate [--check] [--config FILE]")
        return ExitStatus.wrongUse
      }
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
