import Foundation

/// The files of this repository that a person wrote, and where to find them.
struct Repository {
  struct File {
    /// Relative to the repository's top, with `/`.
    let path: String
    let lines: [String]

    /// The lines with what follows `//` cut off, so that comments may name what the code may not use.
    var code: [String] {
      lines.map { line in
        guard let comment = line.range(of: "//") else { return line }
        return String(line[..<comment.lowerBound])
      }
    }

    /// The target that a source file belongs to; nil outside `Sources`.
    var room: String? {
      let parts = path.split(separator: "/")
      guard parts.count > 2, parts[0] == "Sources" else { return nil }
      return String(parts[1])
    }

    /// Modules that the file imports, with `@testable` and `@preconcurrency` left aside.
    var imports: [String] {
      code.compactMap { line in
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count else { return nil }
        guard words[..<keyword].allSatisfy({ $0.hasPrefix("@") || $0.hasSuffix("public") }) else { return nil }
        return String(words[words.count - 1].prefix { $0 != "." })
      }
    }
  }

  let top: URL
  let files: [File]

  static let shared = Repository()

  private static let skipped: Set<String> = [".git", ".build", ".build-address", ".build-thread", ".swiftpm"]

  private init() {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    top = folder
    files = Self.paths(under: folder.path).compactMap { path in
      guard let data = FileManager.default.contents(atPath: folder.path + "/" + path) else { return nil }
      guard let text = String(data: data, encoding: .utf8) else { return nil }
      return File(path: path, lines: text.components(separatedBy: "\n"))
    }
  }

  private static func paths(under folder: String) -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [String] = []
    while let path = walk.nextObject() as? String {
      if skipped.contains((path as NSString).lastPathComponent) {
        walk.skipDescendants()
      } else if walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        found.append(path)
      }
    }
    return found.sorted()
  }

  func files(under prefixes: String..., ending suffix: String = "") -> [File] {
    files.filter { file in prefixes.contains { file.path.hasPrefix($0) } && file.path.hasSuffix(suffix) }
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: top.path + "/" + path) }
}

/// Where `banned` stands in the code of `files`, as `path:line: text`.
func uses(of banned: [String], in files: [Repository.File]) -> [String] {
  files.flatMap { file in
    zip(1..., file.code).compactMap { number, line in
      banned.contains { line.containsWord($0) } ? "\(file.path):\(number): \(line.trimmed)" : nil
    }
  }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespaces) }

  /// Whether `word` occurs with no letter, digit or underscore directly before it.
  func containsWord(_ word: String) -> Bool {
    var from = startIndex
    while let found = range(of: word, range: from..<endIndex) {
      if found.lowerBound == startIndex { return true }
      let before = self[index(before: found.lowerBound)]
      if !before.isLetter && !before.isNumber && before != "_" { return true }
      from = found.upperBound
    }
    return false
  }
}
