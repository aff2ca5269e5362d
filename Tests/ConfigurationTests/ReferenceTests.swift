import Glibc
import Testing

@testable import Configuration

/// docs/configuration.md says what the table says. `UPDATE_DOCS=1 swift test --filter ReferenceTests` writes it anew.
@Suite struct ReferenceTests {
  private let path =
    String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 })
    + "/docs/configuration.md"

  @Test func theDocumentIsCurrent() throws {
    let expected = SettingsReference.markdown()
    if getenv("UPDATE_DOCS") != nil {
      let file = try #require(fopen(path, "w"))
      fputs(expected, file)
      fclose(file)
    }
    let current = try FileText.read(path).get() + "\n"
    let isCurrent = current == expected
    #expect(isCurrent, "docs/configuration.md has drifted; run with UPDATE_DOCS=1 to write it anew")
  }
}
