import FoundationEssentials
import Glibc
import HTTPClient
import Testing

@testable import APNsSimulator

/// The simulator over real sockets, with its real clock and control port.
@Suite struct SocketTests {
  private static let hasNode = Tool.exists("node")

  /// Requests of the front end's table, as a client in another language sends them.
  @Test(.enabled(if: hasNode, "needs Node for a client that shares nothing with us"))
  func aNodeClientIsJudgedTheSame() async throws {
    try await RunningSimulator.with(phones: 1) { simulator in
      let screen = try await simulator.screen("i-1")
      let standard = Bench.standardHeaders()
      // Node itself refuses to send a GET with a body.
      let cases = FrontEndTests.cases.filter { $0.method == "POST" && $0.path != "/3/device/" }
      var requests = cases.map { wrong in
        var headers = standard
        for (name, value) in wrong.headers { headers[name] = value ?? (name == "authorization" ? "" : nil) }
        return Request(
          method: "POST", path: wrong.path ?? "/3/device/\(screen.startToken ?? "")", headers: headers,
          body: wrong.body ?? "{}")
      }
      let good = #"{"aps":{"timestamp":\#(time(nil)),"event":"start"}}"#
      requests.append(
        Request(method: "POST", path: "/3/device/\(screen.startToken ?? "")", headers: standard, body: good))
      let answers = try simulator.node(requests)
      #expect(answers.map(\.status) == cases.map(\.status) + [200])
      #expect(answers.map(\.reason) == cases.map(\.reason) + [nil])
    }
  }

  @Test(.enabled(if: hasNode, "needs Node for a client that shares nothing with us"))
  func faultsReachTheWire() async throws {
    try await RunningSimulator.with(phones: 1) { simulator in
      let screen = try await simulator.screen("i-1")
      let push = Request(
        method: "POST", path: "/3/device/\(screen.startToken ?? "")", headers: Bench.standardHeaders(), body: "{}")
      try await simulator.control(
        "POST", "/faults",
        #"{"faults":[{"effect":"resetAfter","count":1},{"effect":{"delayMilliseconds":20},"count":1},"#
          + #"{"effect":{"answer":{"status":503,"reason":"ServiceUnavailable"}},"count":1}]}"#)
      let answers = try simulator.node([push, push, push, push])
      #expect(answers.map(\.status) == [0, 200, 503, 200])
      #expect(answers.map(\.reason) == [nil, nil, "ServiceUnavailable", nil])
    }
  }

  @Test(.enabled(if: hasNode, "needs Node for a client that shares nothing with us"))
  func tinyWindowsAndASlowReaderOnlyTakeTime() async throws {
    try await RunningSimulator.with(phones: 1, ["--link"]) { simulator in
      let screen = try await simulator.screen("i-1")
      try await simulator.control(
        "POST", "/faults", #"{"faults":[{"effect":{"windowBytes":50}},{"effect":{"slowReaderMilliseconds":5}}]}"#)
      try await simulator.control("POST", "/link", #"{"delayMilliseconds":3}"#)
      let push = Request(
        method: "POST", path: "/3/device/\(screen.startToken ?? "")", headers: Bench.standardHeaders(),
        body: #"{"aps":{},"x":"\#(String(repeating: "x", count: 2000))"}"#)
      #expect(try simulator.node([push, push]).map(\.status) == [200, 200])
    }
  }

  @Test(
    .enabled(if: hasNode, "needs Node for a client that shares nothing with us"),
    arguments: [
      ["--certificate", "otherName"], ["--certificate", "otherAuthority"], ["--link"],
    ]) func whatNoProviderMayTrust(_ options: [String]) async throws
  {
    try await RunningSimulator.with(phones: 1, options) { simulator in
      if options == ["--link"] { try await simulator.control("POST", "/link", #"{"refuses":true}"#) }
      #expect(throws: (any Error).self) { try simulator.node([]) }
    }
  }

  @Test func keysCanBeMadeAndRevoked() async throws {
    try await RunningSimulator.with(phones: 1) { simulator in
      let made = try await simulator.control(
        "POST", "/keys", #"{"keys":[{"id":"TEAMKEY001","scope":"team","environment":"sandbox"}]}"#)
      #expect(String(decoding: made, as: UTF8.self).contains("PRIVATE KEY"))
      let again = try await simulator.control("POST", "/keys", #"{"keys":[{"id":"TEAMKEY001","isRevoked":true}]}"#)
      #expect(String(decoding: again, as: UTF8.self) == #"{"keys":{}}"#)
      #expect(try await simulator.send("POST", "/keys", #"{"keys":[{"id":"X","scope":"team"}]}"#).status == 400)
    }
  }

  @Test func theControlPortSaysWhatIsWrong() async throws {
    try await RunningSimulator.with(phones: 1) { simulator in
      for (method, path, body, status, words) in [
        ("POST", "/phones", "{}", 400, "phones is missing"), ("POST", "/phones", "[", 400, "not valid JSON"),
        ("POST", "/phones", #"{"phones":[{"installation":"i-1","user":"u"}]}"#, 400, "i-1 is on already"),
        ("POST", "/orders", #"{"orders":[{"order":"o","user":"u","placedBy":"nobody"}]}"#, 400, "nobody"),
        ("POST", "/faults", #"{"faults":[{"effect":"boom"}]}"#, 400, "no effect boom"),
        ("GET", "/nothing", "", 404, "docs/simulator.md"), ("GET", "/phones/nobody", "", 400, "nobody"),
      ] {
        let answer = try await simulator.send(method, path, body)
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(words))
      }
    }
  }

  @Test func theFilesForOtherProcessesAreThere() async throws {
    try await RunningSimulator.with(phones: 1) { simulator in
      let place = try JSONDecoder().decode(JSONValue.self, from: Data(simulator.placeBytes))
      for name in ["productionURL", "sandboxURL", "controlURL", "teamId", "keyId"] { #expect(place[name]?.text != nil) }
      for name in ["keyFile", "caFile"] {
        #expect(access(try #require(place[name]?.text), R_OK) == 0)
      }
    }
  }
}

/// What the Node client takes and gives.
private struct Request: Encodable {
  var method: String
  var path: String
  var headers: [String: String]
  var body: String
}

private struct Answer: Decodable {
  var status: Int
  var reason: String?
}

/// A simulator in this process, on free ports, with its files in a temporary folder.
private struct RunningSimulator {
  let simulator: Simulator
  let folder: String
  let client = HTTPClient()

  static func with(
    phones: Int, _ more: [String] = [], _ body: (RunningSimulator) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/doorstep-simulator-\(UInt64.random(in: 0 ... .max))"
    let options = try SimulatorOptions(["--phones", String(phones), "--out", folder] + more)
    let simulator = try Simulator(options: options, serviceKey: nil, logs: [:])
    try simulator.start()
    simulator.switchOn(try PhoneMix(String(phones)).specs(options))
    try simulator.place.write(to: folder)
    let running = RunningSimulator(simulator: simulator, folder: folder)
    do {
      try await body(running)
    } catch {
      await running.end()
      throw error
    }
    await running.end()
  }

  private func end() async {
    _ = await simulator.stop()
    client.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var placeBytes: [UInt8] {
    get throws { Array(try LineFile.read("\(folder)/simulator.json").utf8) }
  }

  func send(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPClientResponse {
    try await client.send(
      HTTPClientRequest(method, "http://127.0.0.1:\(simulator.place.controlPort)\(path)", body: Array(body.utf8)))
  }

  @discardableResult
  func control(_ method: String, _ path: String, _ body: String = "") async throws -> [UInt8] {
    let answer = try await send(method, path, body)
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return answer.body
  }

  func screen(_ installation: String) async throws -> World.PhoneScreen {
    try JSONDecoder().decode(
      World.PhoneScreen.self, from: Data(try await control("GET", "/phones/\(installation)")))
  }

  func node(_ requests: [Request]) throws -> [Answer] {
    let input = "\(folder)/requests.json"
    try LineFile.replace(input, with: Array(try JSONEncoder().encode(requests)))
    let run = try Tool.run(
      "sh", ["-c", "node \(Tool.repository)/tools/apns-client.mjs \(folder)/simulator.json < \(input)"])
    return try JSONDecoder().decode([Answer].self, from: Data(Array(run.output.utf8)))
  }
}
