import HTTP2
import Runtime
import Testing

@Suite struct GoAwayTests {
  /// A peer that answers nothing by itself.
  private func silentPeer() throws -> TestPeer {
    let peer = try TestPeer()
    peer.onRequest = { _, _ in }
    return peer.start()
  }

  @Test func acceptedRequestsGoOnAfterGoAwayAndTheConnectionDrains() async throws {
    let peer = try silentPeer()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<8)
    #expect(await peer.wait { $0.requests.count == 8 })
    peer.withConnections { $0.goAway(debugData: Array(#"{"reason":"Shutdown"}"#.utf8)) }
    #expect(await client.wait { !$0.goAways.isEmpty })
    client.submit(8..<10)
    peer.withConnections { connection in
      for streamID in stride(from: Int32(1), through: 15, by: 2) { connection.respond(streamID, status: 200) }
    }
    #expect(await client.closed() == .drained)
    let seen = client.seen.withLock { $0 }
    #expect(seen.outcomes.count == 8)
    #expect(seen.outcomes.values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    #expect(seen.refusedSubmits == 2, "a draining connection takes no request")
    #expect(seen.goAways == [GoAway(lastStreamID: 15, code: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))])
    client.stop()
    peer.stop()
  }

  @Test func requestsAboveTheLastStreamAreRefusedAndThoseBelowAreInDoubt() async throws {
    let peer = try silentPeer()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<10)
    #expect(await peer.wait { $0.requests.count == 10 })
    peer.withConnections { $0.goAway(lastStreamID: 7) }
    #expect(await client.wait { $0.outcomes.count == 6 })
    peer.withConnections { $0.cut() }
    let outcomes = await client.outcomes(10)
    for ticket in UInt64(4)..<10 { #expect(outcomes[ticket] == .refused) }
    for ticket in UInt64(0)..<4 {
      guard case .ambiguous(.connection) = outcomes[ticket] else {
        Issue.record("request \(ticket) must be in doubt, is \(String(describing: outcomes[ticket]))")
        continue
      }
    }
    client.stop()
    peer.stop()
  }

  @Test func aFirstNoticeWithTheHighestStreamRefusesNothing() async throws {
    let peer = try silentPeer()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<3)
    #expect(await peer.wait { $0.requests.count == 3 })
    peer.withConnections { $0.goAway(lastStreamID: .max) }
    #expect(await client.wait { $0.goAways.count == 1 })
    peer.withConnections { connection in
      connection.goAway()
      for streamID: Int32 in [1, 3, 5] { connection.respond(streamID, status: 200) }
    }
    #expect(await client.closed() == .drained)
    #expect(client.seen.withLock { $0.outcomes.values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) } })
    client.stop()
    peer.stop()
  }

  @Test(arguments: [[], Array("too many streams".utf8), [UInt8](repeating: 120, count: 5000)] as [[UInt8]])
  func anIdleConnectionClosesAtOnceWhateverTheDebugData(debugData: [UInt8]) async throws {
    let peer = try silentPeer()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    peer.withConnections { $0.goAway(code: 11, debugData: debugData) }
    #expect(await client.closed() == .drained)
    let kept = Array(debugData.prefix(GoAway.debugBytesMax))
    #expect(client.seen.withLock { $0.goAways } == [GoAway(lastStreamID: 0, code: 11, debugData: kept)])
    #expect(await peer.wait { $0.closed.count == 1 })
    client.stop()
    peer.stop()
  }
}
