import Certificates
import Glibc
import HTTP2
import Playground
import Runtime
import Testing

/// Both sides against programs that share no code of ours (nghttpd and h2load of the nghttp2 project).
@Suite struct IndependentPeerTests {
  private let folder: String

  init() throws {
    var template = Array("/tmp/doorstep-http2-XXXXXX".utf8CString)
    folder = String(cString: try #require(mkdtemp(&template)))
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = "\(folder)/\(name)"
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
    return path
  }

  @Test func nghttpdTakesEveryRequest() async throws {
    let identity = try TestIdentity.server.get()
    let key = try file("key.pem", identity.privateKeyPEM)
    let certificate = try file("certificate.pem", identity.certificatePEM)
    let port = try freePort()
    let log = "\(folder)/nghttpd.log"
    let server = try await ChildProcess.start(
      name: "nghttpd", program: "/usr/sbin/nghttpd",
      arguments: ["--echo-upload", "-a", "127.0.0.1", String(port), key, certificate], logPath: log)
    let client = try await connect(port)
    for batch in UInt64(0)..<10 {
      client.submit(batch * 100..<(batch + 1) * 100, body: [UInt8](repeating: 97, count: 600))
      _ = await client.outcomes(Int(batch + 1) * 100)
    }
    let echo = HTTP2Outcome.answered(HTTP2Response(status: 200, body: [UInt8](repeating: 97, count: 600)))
    #expect(client.seen.withLock { $0.outcomes.filter { $0.value == echo }.count } == 1000, "\(server.lastWords())")
    client.stop()
    server.kill()
    _ = await server.exit(within: 20)
    removeFolder()
  }

  @Test func h2loadIsServed() async throws {
    let peer = try TestPeer().start()
    let log = "\(folder)/h2load.log"
    let body = try file("body", String(repeating: "a", count: 600))
    let load = try await ChildProcess.start(
      name: "h2load", program: "h2load",
      arguments: ["-n", "2000", "-c", "4", "-m", "50", "-d", body, "https://127.0.0.1:\(peer.port)/3/device/00"],
      logPath: log)
    #expect(await load.exit(within: 60) == 0)
    let words = load.lastWords(lines: 30)
    #expect(words.contains("2000 succeeded, 0 failed"), "\(words)")
    #expect(peer.seen.withLock { $0.requests.filter { $0.body.count == 600 }.count } == 2000)
    peer.stop()
    removeFolder()
  }

  private func freePort() throws -> UInt16 {
    let loop = try EventLoop(name: "test-free-port")
    defer { loop.shutdown() }
    let settings = HTTP2ServerSettings(tls: try TestIdentity.serverTLS())
    let address = try #require(SocketAddress("127.0.0.1", port: 0))
    return try HTTP2Server(loop: loop, address: address, settings: settings).address.port
  }

  /// Dials until the program listens.
  private func connect(_ port: UInt16) async throws -> TestClient {
    for _ in 0..<100 {
      let client = try TestClient(port: port).open()
      _ = await client.wait { $0.isReady || !$0.closed.isEmpty }
      if client.seen.withLock({ $0.isReady }) { return client }
      client.stop()
      await TimedSignal().wait(seconds: 0.1)
    }
    throw PlaygroundError("nothing listens on port \(port)")
  }

  private func removeFolder() {
    for name in ["key.pem", "certificate.pem", "nghttpd.log", "h2load.log", "body"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }
}
