import Glibc
import Runtime
import Testing

@testable import HTTP2

/// Answers with what the test says; counts how often it was asked.
private final class TestResolver: NameResolver {
  let answers: Lock<[Result<[SocketAddress], HTTP2Failure>]>
  let asked = Lock(0)

  /// The answers in order; the last one is repeated.
  init(_ answers: [Result<[SocketAddress], HTTP2Failure>]) { self.answers = Lock(answers) }

  func resolve(
    host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], HTTP2Failure>) -> Void
  ) {
    asked.withLock { $0 += 1 }
    completion(answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
  }
}

@Suite struct DialTests {
  /// An address that refuses connections: a port that was free a moment ago.
  private func refusingAddress() throws -> SocketAddress {
    let loop = try EventLoop(name: "test-free-port")
    defer { loop.shutdown() }
    return try Listener(loop: loop, address: try #require(SocketAddress("127.0.0.1", port: 0))).address
  }

  @Test func theNextAddressIsTriedWhenOneRefuses() async throws {
    let peer = try TestPeer().start()
    let resolver = TestResolver([.success([try refusingAddress(), try refusingAddress(), peer.server.address])])
    let client = try TestClient(port: peer.port) { $0.resolver = resolver }
    #expect(await client.ready())
    client.stop()
    peer.stop()
  }

  @Test func theNameIsResolvedAnewForEachConnection() async throws {
    let peers = [try TestPeer(address: "127.0.0.11").start(), try TestPeer(address: "127.0.0.12").start()]
    let resolver = TestResolver(peers.map { .success([$0.server.address]) })
    for peer in peers {
      let client = try TestClient(port: 1) { $0.resolver = resolver }
      #expect(await client.ready())
      #expect(await peer.wait { $0.opened == 1 })
      client.stop()
    }
    #expect(resolver.asked.withLock { $0 } == 2)
    for peer in peers { peer.stop() }
  }

  @Test func failuresSayWhatHappened() async throws {
    let unknown = HTTP2Failure.resolve(host: "nowhere.invalid", reason: "no such name")
    let failing = try TestClient(port: 1, host: "nowhere.invalid") { $0.resolver = TestResolver([.failure(unknown)]) }
    #expect(await failing.open().closed() == unknown)
    let refused = try refusingAddress()
    let refusing = try TestClient(port: refused.port) { $0.resolver = TestResolver([.success([refused])]) }
    #expect(
      await refusing.open().closed() == .connect(SystemError(call: "TCP connect to \(refused)", code: ECONNREFUSED)))
    #expect(refusing.seen.withLock { $0.closed.count } == 1)
    for client in [failing, refusing] { client.stop() }
  }

  @Test func theSystemResolverFindsLocalhostAndNamesWhatItCannotFind() async throws {
    let results = Lock<[Result<[SocketAddress], HTTP2Failure>]>([])
    let changed = TimedSignal()
    for host in ["localhost", "name.invalid"] {
      SystemResolver().resolve(host: host, port: 443) { result in
        results.withLock { $0.append(result) }
        changed.raise()
      }
    }
    #expect(await changed.wait(on: results) { $0.count == 2 })
    let found = results.withLock { $0.compactMap { try? $0.get() } }
    #expect(found.count == 1)
    #expect(found.first?.first?.port == 443)
  }

  @Test func aPeerThatNeverSpeaksEndsByTheConnectTimeout() async throws {
    let loop = try EventLoop(name: "test-mute")
    let listener = try Listener(loop: loop, address: try #require(SocketAddress("127.0.0.1", port: 0)))
    let client = try TestClient(port: listener.address.port) { $0.connectTimeoutSeconds = 0.2 }
    #expect(await client.open().closed() == .connectTimeout(stage: "TLS and first SETTINGS", seconds: 0.2))
    client.stop()
    loop.shutdown()
  }

  @Test func aConnectionCanBeClosedWhileItConnects() async throws {
    let client = try TestClient(port: 1) { $0.resolver = TestResolver([.success([])]) }
    client.loop.execute {
      client.connection.open()
      client.connection.close()
    }
    #expect(await client.closed() == .closedLocally)
    client.stop()
  }

  @Test func requestsGoOnUntilTheStreamIDsAreUsedUp() async throws {
    let peer = try TestPeer().start()
    let client = try TestClient(port: peer.port)
    client.connection.firstStreamID = Int32.max - 8
    #expect(await client.ready())
    client.submit(0..<20)
    #expect(await client.closed() == .drained)
    let seen = client.seen.withLock { $0 }
    #expect(seen.outcomes.count == 5)
    #expect(seen.outcomes.values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    #expect(seen.refusedSubmits == 15)
    client.stop()
    peer.stop()
  }
}
