import HTTP2
import Runtime
import Testing

@Suite struct ResetTests {
  private static let refusedStream: UInt32 = 7

  @Test func aRefusedStreamIsCertainlyNotProcessed() async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in connection.reset(request.streamID, code: ResetTests.refusedStream) }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<5)
    #expect(await client.outcomes(5).values.allSatisfy { $0 == .refused })
    client.stop()
    peer.stop()
  }

  @Test(arguments: [0, 1, 2, 5, 8, 11, 13, 0xFFFF_FFFF] as [UInt32])
  func aResetAfterTheBodyIsInDoubt(code: UInt32) async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in connection.reset(request.streamID, code: code) }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<1)
    #expect(await client.outcomes(1) == [0: .ambiguous(.reset(code: code))])
    client.stop()
    peer.stop()
  }

  @Test func aResetBeforeTheWholeBodyLeftIsNotSent() async throws {
    let peer = try TestPeer { $0.windowUpdates = .none }
    peer.onBegan = { connection, request in connection.reset(request.streamID, code: 2) }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<1, body: [UInt8](repeating: 1, count: 200_000))
    #expect(await client.outcomes(1) == [0: .notSent(.reset(code: 2))])
    client.stop()
    peer.stop()
  }

  @Test(arguments: [0, 8] as [UInt8]) func anEarlyAnswerCountsThoughAResetFollows(code: UInt8) async throws {
    let peer = try RawPeer { connection in
      connection.write(RawPeer.settings)
      while let frame = connection.read(), frame.type != 1 {}
      connection.write(
        RawPeer.frame(type: 1, flags: 5, streamID: 1, RawPeer.status400)
          + RawPeer.frame(type: 3, flags: 0, streamID: 1, [0, 0, 0, code]))
      connection.readToTheEnd()
    }
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<1, body: [UInt8](repeating: 1, count: 3_000_000))
    #expect(await client.outcomes(1) == [0: .answered(HTTP2Response(status: 400))])
    client.stop()
    peer.stop()
  }

  @Test func aRejectionThatCutsTheLimitAndResetsTheRestUpsetsNothing() async throws {
    let peer = try TestPeer { $0.maxConcurrentStreams = 500 }
    let lowered = Lock(false)
    peer.onRequest = { connection, request in
      if lowered.withLock({ $0 }) {
        connection.respond(request.streamID, status: 200)
        connection.update(maxConcurrentStreams: 500)
      } else if request.streamID == 99 {
        lowered.withLock { $0 = true }
        connection.respond(request.streamID, status: 400)
        connection.update(maxConcurrentStreams: 1)
        for other in stride(from: Int32(1), to: 99, by: 2) {
          connection.reset(other, code: ResetTests.refusedStream)
          connection.reset(other, code: 5)
        }
      }
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<50)
    let outcomes = await client.outcomes(50)
    #expect(outcomes.values.filter { $0 == .refused }.count == 49)
    #expect(outcomes[49] == .answered(HTTP2Response(status: 400)))
    #expect(await client.wait { $0.limits.last == 1 })
    client.submit(50..<60)
    #expect(await client.wait { $0.limits.last == 500 && $0.outcomes.count == 51 })
    #expect(client.seen.withLock { $0.refusedSubmits } == 9, "no more are taken than the limit allows")
    client.submit(60..<110)
    #expect(await client.outcomes(101).count == 101)
    #expect(client.seen.withLock { $0.closed }.isEmpty)
    client.stop()
    peer.stop()
  }
}
