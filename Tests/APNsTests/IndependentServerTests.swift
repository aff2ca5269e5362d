import APNs
import Certificates
import Glibc
import Runtime
import Service
import Testing

/// Servers that share no line with ours take every request; needs `nghttpd` and `node`.
@Suite(.enabled(if: ProcessFlags.runsExtraTests)) struct IndependentServerTests {
  private static let nodeScript = """
    const h2 = require('http2'), fs = require('fs'), folder = process.argv[2];
    const server = h2.createSecureServer({ key: fs.readFileSync(folder + '/server.key'),
      cert: fs.readFileSync(folder + '/server.pem') });
    server.on('stream', (stream, headers) => {
      let size = 0;
      stream.on('data', chunk => { size += chunk.length; });
      stream.on('end', () => {
        const isRight = size === 600 && headers['apns-topic'] && /^[0-9a-f-]{36}$/.test(headers['apns-id']);
        stream.respond({ ':status': isRight ? 200 : 400 }); stream.end();
      });
    });
    server.listen(+process.argv[3], '127.0.0.1');
    """

  private func accepted(by words: (Harness, String) throws -> [String], expected: (PushAnswer) -> Bool) async throws {
    let harness = try Harness()
    let identity = try harness.authority.issueServerCertificate()
    try harness.write(identity.certificatePEM, to: "server.pem")
    try harness.write(identity.privateKeyPEM, to: "server.key")
    try harness.write(Self.nodeScript, to: "server.js")
    defer { harness.remove(["server.pem", "server.key", "server.js"]) }
    // A port that was free a moment ago.
    let probe = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let port = probe.port
    probe.stop()
    let child = try ExtraProcess(words(harness, String(port)))
    defer { child.stop() }
    let gateway = try await harness.gateway(port: port, connections: 2...4)
    #expect(await harness.observer.eventually { $0.counts.ready >= 2 })
    let answers = await harness.send(gateway, (1...2000).map { harness.push($0, deadlineSeconds: 30) }, seconds: 40)
    #expect(answers.count == 2000)
    let unexpected = answers.first { !expected($0) }
    #expect(unexpected.map(\.ticket) == nil, "\(String(describing: unexpected))")
    await gateway.drain()
  }

  @Test func nodeTakesEveryRequest() async throws {
    try await accepted(
      by: { ["node", "\($0.folder)/server.js", $0.folder, $1] }, expected: { $0.outcome == .accepted })
  }

  /// nghttpd has no such file, and says so in its own HTTP/2: that is all we want of it.
  @Test func nghttpdTakesEveryRequest() async throws {
    try await accepted(
      by: { ["nghttpd", "-a", "127.0.0.1", $1, "\($0.folder)/server.key", "\($0.folder)/server.pem"] },
      expected: { $0.status == 404 })
  }
}

enum ProcessFlags {
  static var runsExtraTests: Bool { getenv("TEST_EXTRA") != nil }
}

/// A child process of a test, ended with it.
struct ExtraProcess {
  private let pid: pid_t

  init(_ words: [String]) throws {
    var pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    var pid: pid_t = 0
    errno = posix_spawnp(&pid, words[0], nil, nil, &pointers, environ)
    guard errno == 0 else { throw SystemError.last("start \(words[0])") }
    self.pid = pid
  }

  func stop() {
    kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }
}
