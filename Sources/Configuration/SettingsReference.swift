/// docs/configuration.md, made from the table of settings.
public enum SettingsReference {
  public static func markdown() -> String {
    let rows = SettingsTable.all.map { setting in
      "| `\(setting.name)`\(setting.isSecret ? " *" : "") | \(setting.defaultText.map { "`\($0)`" } ?? "none") | "
        + "\(setting.meaning) Expected: \(setting.expected). |"
    }
    return """
      # Configuration

      <!-- Made by the ConfigurationTests from the table of settings: do not edit by hand. -->

      Doorstep reads its settings from the environment. A flag on the command line is stronger than a variable, a
      variable stronger than the configuration file (`--config FILE`), the file stronger than the default. An empty
      value counts as not given. An unknown `DOORSTEP_` variable is an error that names the nearest setting.

      Settings marked * are secrets: they are never printed, and their value may come from a file whose path
      the same name with `_FILE` at its end gives.

      `doorstep config check` validates everything without starting; `doorstep config print` shows what is in force.

      | setting | default | meaning |
      | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }
}
