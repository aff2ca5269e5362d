import Foundation
import Testing

/// What no file of the repository may be or hold.
struct TextTests {
  private static let kinds = [
    ".swift", ".sql", ".c", ".cpp", ".h", ".py", ".sh", ".md", ".yaml", ".yml", ".json",
  ]

  private let written = Repository.shared.files.filter { file in
    Self.kinds.contains { file.path.hasSuffix($0) } || file.path.hasPrefix("scripts/") || file.path == "Makefile"
      || file.path == ".ci/run"
  }

  private func lines(containing banned: [String]) -> [String] {
    written.flatMap { file in
      zip(1..., file.lines).compactMap { number, line in
        banned.contains { line.contains($0) } ? "\(file.path):\(number)" : nil
      }
    }
  }

  @Test func filesHaveOneDuty() {
    let long = Repository.shared.files(under: "Sources/", "Tests/", ending: ".swift").filter { $0.lines.count > 401 }
    #expect(long.map { "\($0.path): \($0.lines.count - 1) lines" } == [], "over 400 lines: which duty can leave?")
  }

  @Test func linesFitOnAScreen() {
    let kinds = [".swift", ".sql", ".c", ".cpp", ".h", ".py"]
    let wide = written.filter { file in kinds.contains { file.path.hasSuffix($0) } }.flatMap { file in
      zip(1..., file.lines).compactMap { $1.count > 120 ? "\(file.path):\($0): \($1.count) columns" : nil }
    }
    #expect(wide == [])
  }

  // The words are put together here so that this file does not hold them.
  @Test func nothingIsLeftUndone() {
    #expect(lines(containing: ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "fatalError" + "(\"not"]) == [])
  }

  @Test func noPathOfOneMachine() {
    #expect(lines(containing: ["/wo" + "rk/", "/ho" + "me/", "../sha" + "red", "/bash" + "_jobs"]) == [])
  }

  @Test func noPrivateKeyInTheTree() {
    #expect(lines(containing: ["PRIVATE " + "KEY-----"].map { "BEGIN " + $0 } + ["BEGIN EC PRI" + "VATE"]) == [])
  }

  @Test func testsNeitherSkipNorSleep() {
    let tests = Repository.shared.files(under: "Tests/", ending: ".swift").filter { !$0.path.contains("TidyTests") }
    #expect(uses(of: [".disabled(", "XCTSkip", "Task.sleep", "usleep(", "nanosleep(", " sleep("], in: tests) == [])
  }
}
