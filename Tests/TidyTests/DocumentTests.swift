import Foundation
import Testing

/// Documents and code point at things that are there.
struct DocumentTests {
  private let repository = Repository.shared

  @Test func everyLinkOfADocumentLeadsSomewhere() throws {
    let link = try NSRegularExpression(pattern: #"\]\(([^)#:\s]+)(#[^)]*)?\)"#)
    let broken = repository.files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
      file.lines.flatMap { $0.matches(of: link) }.compactMap { target in
        repository.exists(resolve(target, from: file.path)) ? nil : "\(file.path) links to \(target)"
      }
    }
    #expect(broken == [])
  }

  private func resolve(_ target: String, from path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return ((folder as NSString).appendingPathComponent(target) as NSString).standardizingPath
  }

  @Test func everyDocumentThatCodeCitesExists() throws {
    let citation = try NSRegularExpression(pattern: #"\b((?:docs|api|sql|scripts)/[A-Za-z0-9_/-]+\.[a-z]+)"#)
    let missing = repository.files(under: "Sources/", "Tests/", "sql/").flatMap { file in
      Set(file.lines.flatMap { $0.matches(of: citation) }).compactMap { path in
        repository.exists(path) ? nil : "\(file.path) cites \(path)"
      }
    }
    #expect(missing == [])
  }

  @Test func everyCitedRuleIsARule() throws {
    let semantics = "docs/delivery-semantics.md"
    let heading = try NSRegularExpression(pattern: #"^(?:\*\*|## )(\d(?:\.\d+)?)[ .]"#)
    let lines = repository.files.first { $0.path == semantics }?.lines ?? []
    let rules = Set(lines.flatMap { $0.matches(of: heading) })
    #expect(rules.count >= 40)
    let citation = try NSRegularExpression(pattern: #"delivery-semantics\.md,? (?:rules? )?(\d(?:\.\d+)?)"#)
    let unknown = repository.files(under: "Sources/", "Tests/", "sql/").flatMap { file in
      file.lines.flatMap { $0.matches(of: citation) }.filter { !rules.contains($0) }.map {
        "\(file.path) cites rule \($0)"
      }
    }
    #expect(unknown == [])
  }

  @Test func migrationsAreNumberedWithoutGaps() {
    let numbers = repository.files(under: "sql/", ending: ".sql").compactMap { file in
      Int((file.path as NSString).lastPathComponent.prefix { $0.isNumber })
    }
    #expect(numbers.sorted() == (0..<numbers.count).map { $0 + 1 })
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
