import Foundation
import Testing

/// Documents and code point at things that are there.
struct DocumentTests {
  private let repository = Repository.shared

  @Test func everyLinkOfADocumentLeadsSomewhere() throws {
    let link = try NSRegularExpression(pattern: #"\]\(([^)#:\s]+)(#[^)]*)?\)"#)
    for file in repository.files where file.path.hasSuffix(".md") {
      let folder = (file.path as NSString).deletingLastPathComponent
      for target in file.lines.flatMap({ $0.matches(of: link) }) {
        let path = ((folder as NSString).appendingPathComponent(target) as NSString).standardizingPath
        #expect(repository.exists(path), "\(file.path) links to \(target)")
      }
    }
  }

  @Test func everyDocumentThatCodeCitesExists() throws {
    let citation = try NSRegularExpression(pattern: #"\b((?:docs|api|sql|scripts)/[A-Za-z0-9_/-]+\.[a-z]+)"#)
    for file in repository.files(under: "Sources/", "Tests/", "sql/") {
      for path in Set(file.lines.flatMap { $0.matches(of: citation) }) {
        #expect(repository.exists(path), "\(file.path) cites \(path)")
      }
    }
  }

  @Test func everyCitedRuleIsARule() throws {
    let semantics = "docs/delivery-semantics.md"
    let heading = try NSRegularExpression(pattern: #"^(?:\*\*|## )(\d(?:\.\d+)?)[ .]"#)
    let document = try #require(repository.files.first { $0.path == semantics })
    let rules = Set(document.lines.flatMap { $0.matches(of: heading) })
    #expect(rules.count > 40)
    let citation = try NSRegularExpression(pattern: #"delivery-semantics\.md,? (?:rules? )?(\d(?:\.\d+)?)"#)
    for file in repository.files(under: "Sources/", "Tests/", "sql/") {
      for rule in file.lines.flatMap({ $0.matches(of: citation) }) {
        #expect(rules.contains(rule), "\(file.path) cites rule \(rule), which \(semantics) does not have")
      }
    }
  }

  @Test func migrationsAreNumberedWithoutGaps() {
    let numbers = repository.files(under: "sql/", ending: ".sql").compactMap { file in
      Int((file.path as NSString).lastPathComponent.prefix { $0.isNumber })
    }
    #expect(numbers.sorted() == Array(1...max(1, numbers.count)).prefix(numbers.count).map { $0 })
  }
}

extension String {
  /// What the first group of `expression` caught, at each place where it matches.
  func matches(of expression: NSRegularExpression) -> [String] {
    expression.matches(in: self, range: NSRange(startIndex..., in: self)).compactMap { match in
      Range(match.range(at: 1), in: self).map { String(self[$0]) }
    }
  }
}
