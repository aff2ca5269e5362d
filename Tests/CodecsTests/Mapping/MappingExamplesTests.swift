import Codecs
import Documents
import Domain
import Glibc
import Testing

/// Every worked example of docs/mapping.md is compiled and run, and says what the page says.
@Suite struct MappingExamplesTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var title: String
    var mapping: String
    var sample: String
    var outcome: String
    var testDescription: String { title }
  }

  static let examples = read()

  private static func read(_ file: String = #filePath) -> [Example] {
    let top = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    let sections = text(of: top + "/docs/mapping.md").components(separatedBy: "\n## ")
    return sections.compactMap { section in
      guard let mapping = fenced("yaml", section), let sample = fenced("json", section),
        let outcome = fenced("text", section)
      else { return nil }
      return Example(
        title: String(section.prefix { $0 != "\n" }), mapping: mapping, sample: sample, outcome: outcome)
    }
  }

  private static func fenced(_ language: String, _ section: String) -> String? {
    let parts = section.components(separatedBy: "```\(language)\n")
    guard parts.count == 2 else { return nil }
    return parts[1].components(separatedBy: "\n```").first
  }

  private static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test func thereAreThree() { #expect(Self.examples.count == 3) }

  @Test(arguments: examples) func saysWhatThePageSays(example: Example) throws {
    let document = try Document.parse(Array(example.mapping.utf8), file: "mapping.yaml")
    let noon = try #require(RFC3339.parse("2026-11-30T12:00:00Z"))
    let sample = MappingSample(
      mapping: try Mapping(document), orderTopics: ["courier.events"], riderTopics: [], now: noon)
    let outcomes = sample.outcomes(of: Array(example.sample.utf8)).map { "line \($0.line): \($0.text)" }
    #expect(outcomes == example.outcome.components(separatedBy: "\n"))
  }
}

extension String {
  /// Splits at every occurrence of a text.
  func components(separatedBy separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
