import HTTP2
import Runtime
import Testing

@Suite struct DeadPeerTests {
  @Test func aSilentPeerCostsEachRequestItsDeadlineAndNothingElse() async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in
      if request.field(":path") == "/push/3" { connection.respond(request.streamID, status: 200) }
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<3, deadlineSeconds: 0.2)
    #expect(await client.outcomes(3).values.allSatisfy { $0 == .ambiguous(.deadline) })
    #expect(await peer.wait { $0.streamEnds == [1: 8, 3: 8, 5: 8] }, "the streams are cancelled")
    client.submit(3..<4)
    #expect(await client.outcomes(4)[3] == .answered(HTTP2Response(status: 200)))
    client.stop()
    peer.stop()
  }

  @Test func aLateAnswerIsNotTakenForAnother() async throws {
    let peer = try TestPeer()
    let held = Lock<[Int32]>([])
    peer.onRequest = { connection, request in
      let late = held.withLock { streams -> [Int32] in
        defer { streams.append(request.streamID) }
        return streams
      }
      guard request.field(":path") == "/push/1" else { return }
      for streamID in late { connection.respond(streamID, status: 500) }
      connection.respond(request.streamID, status: 200)
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<1, deadlineSeconds: 0.1)
    #expect(await client.outcomes(1) == [0: .ambiguous(.deadline)])
    client.submit(1..<2)
    #expect(await client.outcomes(2)[1] == .answered(HTTP2Response(status: 200)))
    #expect(client.seen.withLock { $0.settledTwice } == 0)
    client.stop()
    peer.stop()
  }

  @Test func aHalfOpenConnectionIsFoundByPingWithRequestsOpen() async throws {
    let peer = try TestPeer().start()
    let proxy = try TestProxy(target: peer.server.address)
    let client = try TestClient(port: proxy.port) {
      $0.suspicionSeconds = 0.1
      $0.pingTimeoutSeconds = 0.2
    }
    #expect(await client.ready())
    client.submit(0..<1)
    #expect(await client.outcomes(1) == [0: .answered(HTTP2Response(status: 200))])
    await proxy.run { $0.swallow() }
    client.submit(1..<21)
    #expect(await client.closed() == .pingTimeout(seconds: 0.2))
    let lost = HTTP2Outcome.ambiguous(.connection(.pingTimeout(seconds: 0.2)))
    #expect(client.seen.withLock { $0.outcomes.filter { $0.value == lost }.count } == 20)
    client.stop()
    proxy.stop()
    peer.stop()
  }

  @Test func aPingGoesAlongWithTheFirstRequestAfterARest() async throws {
    let peer = try TestPeer().start()
    let proxy = try TestProxy(target: peer.server.address)
    let client = try TestClient(port: proxy.port) {
      $0.suspicionSeconds = 0
      $0.restSeconds = 0
      $0.pingTimeoutSeconds = 0.2
    }
    #expect(await client.ready())
    await proxy.run { $0.swallow() }
    client.submit(0..<1)
    #expect(await client.closed() == .pingTimeout(seconds: 0.2))
    client.stop()
    proxy.stop()
    peer.stop()
  }

  @Test func whatTheSocketNeverTookIsNotSent() async throws {
    let peer = try TestPeer {
      $0.maxConcurrentStreams = 1000
      $0.initialWindowBytes = 64 << 20
      $0.connectionWindowBytes = 64 << 20
    }
    peer.onOpened = { $0.setReading(false) }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    // 50 MB are more than the kernel's buffers hold: most of it stays in this process.
    client.submit(0..<500, body: [UInt8](repeating: 97, count: 100_000))
    client.loop.execute { client.loop.schedule(afterSeconds: 0.2) { client.connection.close() } }
    let outcomes = await client.outcomes(500).values
    #expect(outcomes.filter { $0 == .notSent(.connection(.closedLocally)) }.count > 250)
    #expect(outcomes.allSatisfy { $0 != .refused })
    client.stop()
    peer.stop()
  }

  @Test func aHalfOpenConnectionIsFoundByPingWhileIdle() async throws {
    let peer = try TestPeer().start()
    let proxy = try TestProxy(target: peer.server.address)
    let client = try TestClient(port: proxy.port) {
      $0.idlePingSeconds = 0.1
      $0.pingTimeoutSeconds = 0.2
    }
    #expect(await client.ready())
    await proxy.run { $0.swallow() }
    #expect(await client.closed() == .pingTimeout(seconds: 0.2))
    client.stop()
    proxy.stop()
    peer.stop()
  }

  @Test func aLivingPeerMayTakeItsTime() async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in
      connection.loop.schedule(afterSeconds: 0.5) { connection.respond(request.streamID, status: 200) }
    }
    let client = try TestClient(port: peer.start().port) {
      $0.suspicionSeconds = 0.05
      $0.pingTimeoutSeconds = 5
    }
    #expect(await client.ready())
    client.submit(0..<5)
    #expect(await client.outcomes(5).values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    client.stop()
    peer.stop()
  }

  @Test func aCutConnectionLeavesSentRequestsInDoubt() async throws {
    let peer = try TestPeer()
    peer.onRequest = { _, _ in }
    let proxy = try TestProxy(target: peer.start().server.address)
    let client = try TestClient(port: proxy.port)
    #expect(await client.ready())
    client.submit(0..<5)
    #expect(await peer.wait { $0.requests.count == 5 })
    await proxy.run { $0.cut() }
    for outcome in await client.outcomes(5).values {
      guard case .ambiguous(.connection) = outcome else {
        Issue.record("must be in doubt, is \(outcome)")
        continue
      }
    }
    client.stop()
    proxy.stop()
    peer.stop()
  }

  @Test func aSlowWayDelaysAndLosesNothing() async throws {
    let peer = try TestPeer { $0.maxConcurrentStreams = 500 }.start()
    let proxy = try TestProxy(target: peer.server.address) {
      $0.delaySeconds = 0.01
      $0.bytesPerSecond = 2e6
    }
    let client = try TestClient(port: proxy.port)
    #expect(await client.ready())
    client.submit(0..<300, body: [UInt8](repeating: 97, count: 2000))
    #expect(await client.outcomes(300).values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    client.stop()
    proxy.stop()
    peer.stop()
  }
}
