import Codecs
import Playground
import TestFixtures
import Testing

extension EndToEndTests {
  /// The demo as a user runs it, small.
  struct DemoTests {
    /// The small stand-alone script that counts the raw logs again.
    private static let recount: String = {
      let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
      return parts.dropLast(3).joined(separator: "/") + "/tools/recount.py"
    }()

    @Test func aSmallDemoEndsWellAndSaysSo() async throws {
      let logs = try TemporaryFolder()
      let arguments = ["demo", "--orders", "40", "--speed", "150", "--seed", "3", "--logs", logs.path]
      let run = try await doorstep(arguments, within: 240)
      #expect(run.status == 0, "\(run.output.suffix(3_000))")
      let line = run.output.split(separator: "\n").last.map(String.init) ?? ""
      let last = Array(line.utf8)
      var orders: Int64?
      var pushes: [Int64?] = []
      var safety: [Double?] = []
      try JSON.parse(last) { root in
        orders = root["orders"]?.int64
        pushes = ["start", "update", "end", "alert"].map { root["pushes"]?.member(named: $0)?.int64 }
        safety = DemoReport.safety.map { root.member(named: $0)?.double }
      }
      #expect(orders == 40)
      let recount = try await program("python3", [Self.recount, logs.path])
      #expect(line.hasPrefix(recount.output.dropLast()), "\(recount.output)")
      #expect(pushes.allSatisfy { ($0 ?? 0) > 0 }, "\(pushes)")
      #expect(safety.allSatisfy { $0 == 0 }, "\(safety)")
    }

    @Test func tripsFromAFile() async throws {
      let folder = try TemporaryFolder()
      let file = folder.path + "/ride.gpx"
      let points = (0..<60).map { index in
        "<trkpt lat=\"48.\(1_000 + index * 4)\" lon=\"11.5\">"
          + "<time>2026-05-01T08:\(10 + index / 6):\(index % 6)0Z</time></trkpt>"
      }
      #expect(TextFile.write("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>", to: file))
      let run = try await doorstep(["demo", "--orders", "10", "--speed", "300", "--trips", file], within: 240)
      #expect(run.status == 0, "\(run.output.suffix(3_000))")
      #expect(run.output.contains("1 delivery-like trips of 1"))
    }

    @Test(arguments: [
      (["--orders", "0"], "--orders '0': expected a number from 1 to 2000"),
      (["--speed"], "--speed nothing: expected a number from 1.0 to 600.0"),
      (["--trips"], "--trips needs at least one file, CSV or GPX"),
      (["--fast"], "doorstep demo has no option '--fast'; usage: doorstep \(DemoOptions.usage)"),
    ])
    func wrongUse(arguments: [String], sentence: String) async throws {
      let run = try await doorstep(["demo"] + arguments)
      #expect(run.status == 2)
      #expect(run.output == sentence)
    }

    @Test func aFileThatIsNotThere() async throws {
      let run = try await doorstep(["demo", "--trips", "/nowhere/ride.gpx"])
      #expect(run.status == 1)
      #expect(run.output == "doorstep demo: cannot read /nowhere/ride.gpx: No such file or directory")
    }
  }
}
