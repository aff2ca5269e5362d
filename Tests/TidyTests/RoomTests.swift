import Testing

/// Each room keeps to its duty: what it may import, and what it may not call (ARCHITECTURE.md).
struct RoomTests {
  static let pure = ["DoorstepActivity", "Numerics", "Domain", "Codecs", "Service"]

  private func files(of rooms: [String]) -> [Repository.File] {
    Repository.shared.files.filter { file in rooms.contains { file.room == $0 } && file.path.hasSuffix(".swift") }
  }

  private var sources: [Repository.File] { Repository.shared.files(under: "Sources/", ending: ".swift") }

  @Test func pureRoomsReadNoClockRollNoDiceAndSayNothing() {
    let banned = [
      "Date(", "ContinuousClock", "SuspendingClock", "clock_gettime", "gettimeofday", ".random", "SystemRandom",
      "hashValue", "Hasher(", "print(", "debugPrint(", "Task.sleep", "import Glibc", "import Foundation",
    ]
    #expect(uses(of: banned, in: files(of: Self.pure)) == [])
  }

  @Test func useCasesStartNoTasksOfTheirOwn() {
    #expect(uses(of: ["Task {", "Task.detached", "Task("], in: files(of: Self.pure)) == [])
  }

  @Test func theProductNeedsNoFoundation() {
    let imports = sources.filter { $0.imports.contains("Foundation") }.map(\.path)
    #expect(imports == [])
  }

  @Test func nothingTrapsOrSleepsOrGrowsWithoutBound() {
    #expect(uses(of: ["try!", "as!", "Task.sleep", ".unbounded", "Mutex<", "Mutex("], in: sources) == [])
  }

  /// What a room of the core may import besides the standard library.
  @Test(
    arguments: [
      ("DoorstepActivity", ["ActivityKit"]),
      ("Numerics", []),
      ("Domain", ["DoorstepActivity", "Numerics"]),
      ("Codecs", ["CSimdjson", "Documents", "Domain", "FoundationEssentials"]),
      ("Service", ["Codecs", "Domain"]),
      (
        "APNsSimulator",
        [
          "COpenSSL", "CSystem", "Certificates", "FoundationEssentials", "Glibc", "HTTP2", "HTTPClient", "HTTPServer",
          "Runtime",
        ]
      ),
    ] as [(String, Set<String>)])
  func arrowsOnlyGoDown(room: String, allowed: Set<String>) {
    let imported = Set(files(of: [room]).flatMap(\.imports))
    #expect(imported.subtracting(allowed) == [], "\(room) reaches for rooms above or beside it")
  }

  /// A C library has one Swift face; nobody else calls it.
  @Test(
    arguments: [
      ("CRdKafka", ["Kafka", "Playground"]),
      ("CPQ", ["Postgres"]),
      ("CNghttp2", ["HTTP2"]),
      ("COpenSSL", ["Crypto", "Certificates", "HTTP2", "APNsSimulator"]),
      ("CMicrohttpd", ["HTTPServer"]),
      ("CCurl", ["HTTPClient"]),
      ("CYaml", ["Documents"]),
      ("CSimdjson", ["Codecs"]),
      ("CSystem", ["Runtime", "Kafka", "HTTP2", "HTTPServer", "APNsSimulator", "Playground"]),
    ] as [(String, Set<String>)])
  func onlyItsRoomImportsAC(library: String, owners: Set<String>) {
    let importing = Set(sources.filter { $0.imports.contains(library) }.compactMap(\.room))
    #expect(importing.subtracting(owners) == [], "\(library) is imported outside its room")
  }
}
