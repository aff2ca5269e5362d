import Certificates
import Crypto
import Glibc
import Runtime

/// `doorstep bench push`: our sender against h2load, same server, same requests, interleaved, median.
struct BenchPush {
  let options: BenchPushOptions

  static func main(_ arguments: [String]) async -> Int32 {
    guard var options = BenchPushOptions(arguments) else {
      Terminal.error("usage: doorstep bench push [options]\n\n\(BenchPushOptions.help)")
      return ExitStatus.wrongUse
    }
    do {
      switch options.role {
      case .server:
        let server = BenchPushServer(options: options)
        try await server.run()
        withExtendedLifetime(server) {}
      case .transport: try await BenchPushTransport(options: options).run()
      case .line: try await BenchPushLine(options: options).run()
      case .scenarios: try await BenchPushScenarios(options: options).run()
      case .conductor:
        var template = Array("/tmp/doorstep-bench-XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        options.folder = String(cString: folder)
        defer { removeFolder(options.folder) }
        try await BenchPush(options: options).conduct()
      }
      return ExitStatus.done
    } catch {
      Terminal.error("doorstep bench push: \(error)")
      return ExitStatus.failed
    }
  }

  private static let files = [
    "ca.pem", "server.pem", "server.key", "key.p8", "port", "uris", "body", "output", "server.output",
  ]

  private static func removeFolder(_ folder: String) {
    for file in files { unlink("\(folder)/\(file)") }
    rmdir(folder)
  }

  // MARK: Conductor

  private func conduct() async throws {
    try makeFiles()
    var server: BenchProcess?
    defer { server?.stop() }
    if options.target == nil {
      server = try BenchProcess(
        core: 1, program: BenchProcess.ownProgram, arguments: options.arguments(for: .server, target: "-"),
        output: path("server.output"))
    }
    let target: String
    if let given = options.target {
      target = given
    } else {
      target = "127.0.0.1:\(try await portOfServer())"
    }
    try BenchFiles.write(uris(target), to: path("uris"))
    var results: [Sender: [BenchProcess.Cost]] = [:]
    var reports: [String: Double] = [:]
    for round in 1...options.rounds {
      for sender in Sender.allCases {
        Terminal.error("round \(round) of \(options.rounds): \(sender.title)")
        results[sender, default: []].append(try run(sender, target: target, reports: &reports))
      }
    }
    if options.target == nil { try runScenarios() }
    report(results, reports)
  }

  /// In a process of their own, on all cores.
  private func runScenarios() throws {
    Terminal.error("growth at 50 ms round trip, and a silent connection")
    let process = try BenchProcess(
      core: nil, program: BenchProcess.ownProgram, arguments: options.arguments(for: .scenarios, target: "-"),
      output: path("output"))
    let ended = process.cost() != nil
    Terminal.print(String(try BenchFiles.read(path("output")).dropLast()))
    guard ended else { throw BenchError("the scenarios failed") }
  }

  private enum Sender: CaseIterable {
    case h2load, transport, line

    var title: String {
      switch self {
      case .h2load: "h2load"
      case .transport: "our transport alone"
      case .line: "choose, shape, push, outcome"
      }
    }
  }

  private func path(_ name: String) -> String { "\(options.folder)/\(name)" }

  private func makeFiles() throws {
    let authority = try CertificateAuthority()
    let identity = try authority.issueServerCertificate()
    try BenchFiles.write(authority.pem(), to: path("ca.pem"))
    try BenchFiles.write(identity.certificatePEM, to: path("server.pem"))
    try BenchFiles.write(identity.privateKeyPEM, to: path("server.key"))
    try BenchFiles.write(SigningKey.generate().pem(), to: path("key.p8"))
    let body = try BenchPushWorkload(tokens: 1).sampleBody()
    try BenchFiles.write(String(decoding: body, as: UTF8.self), to: path("body"))
  }

  private func portOfServer() async throws -> String {
    let pause = TimedSignal()
    for _ in 0..<200 {
      if let port = try? BenchFiles.read(path("port")), !port.isEmpty { return port }
      await pause.wait(seconds: 0.05)
    }
    throw SystemError.last("waiting for the benchmark's server")
  }

  private func uris(_ target: String) -> String {
    (0..<options.tokens).map { "https://\(target)/3/device/\(BenchPushWorkload.tokenText($0))\n" }.joined()
  }

  private func run(_ sender: Sender, target: String, reports: inout [String: Double]) throws -> BenchProcess.Cost {
    let process: BenchProcess
    switch sender {
    case .h2load:
      process = try BenchProcess(
        core: 0, program: "h2load", arguments: h2loadArguments(), output: path("output"))
    case .transport, .line:
      let role: BenchPushOptions.Role = sender == .line ? .line : .transport
      process = try BenchProcess(
        core: 0, program: BenchProcess.ownProgram, arguments: options.arguments(for: role, target: target),
        output: path("output"))
    }
    let cost = process.cost()
    let output = try BenchFiles.read(path("output"))
    guard let cost, succeeded(sender, output) else {
      throw BenchError("\(sender.title) did not get all its \(options.requests) pushes accepted:\n\(output)")
    }
    if sender == .line { Self.note(output, in: &reports) }
    return cost
  }

  private func succeeded(_ sender: Sender, _ output: String) -> Bool {
    sender == .h2load
      ? output.contains("status codes: \(options.requests) 2xx") : output.contains("succeeded=\(options.requests) ")
  }

  private func h2loadArguments() -> [String] {
    let common = [
      "-c", "1", "-t", "1", "-m", String(options.streams), "-n", String(options.requests), "-i", path("uris"), "-d",
      path("body"),
    ]
    return common + BenchPushWorkload.fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
  }

  private static func note(_ output: String, in reports: inout [String: Double]) {
    for word in output.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let pair = word.split(separator: "=")
      guard pair.count == 2, let value = Double(pair[1]) else { continue }
      reports[String(pair[0])] = max(value, reports[String(pair[0])] ?? value)
    }
  }

  // MARK: Report

  private func report(_ results: [Sender: [BenchProcess.Cost]], _ reports: [String: Double]) {
    let median = { (sender: Sender, part: (BenchProcess.Cost) -> Double) -> Double in
      let sorted = (results[sender] ?? []).map(part).sorted()
      return sorted.isEmpty ? 0 : sorted[sorted.count / 2] / Double(options.requests) * 1e6
    }
    for sender in [Sender.transport, .line] {
      let name = sender == .line ? "push" : "push-transport"
      for (part, value) in [("user", \BenchProcess.Cost.user), ("system", \BenchProcess.Cost.system)] {
        BenchLine.print(
          "\(name)-\(part)", median(sender) { $0[keyPath: value] }, "us \(part) CPU per push",
          reference: median(.h2load) { $0[keyPath: value] })
      }
    }
    if let third = reports["residentThirdKiB"], let end = reports["residentKiB"] {
      BenchLine.print("push-memory", end, "KiB resident at the end, against after a third", reference: third)
    }
    if let rate = reports["perSecond"] {
      BenchLine.print("push-rate", rate, "pushes per second, best round, one connection", reference: 60_000)
    }
    BenchLine.print(
      "push-transport", median(.transport) { $0.total }, "us CPU per push, transport alone",
      reference: median(.h2load) { $0.total })
    BenchLine.print(
      "push", median(.line) { $0.total }, "us CPU per push, choose + shape + push + outcome",
      reference: median(.h2load) { $0.total })
  }
}

/// A benchmark that could not be carried out.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
