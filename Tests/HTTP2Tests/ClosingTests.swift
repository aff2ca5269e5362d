import HTTP2
import Runtime
import Testing

/// Closes its connection inside every kind of call.
private final class Quitter: HTTP2ConnectionDelegate, @unchecked Sendable {
  enum Moment: CaseIterable { case ready, limitChanged, settled, goAway }

  let moment: Moment
  let seen = Lock<(settled: Int, closed: [HTTP2Failure])>((0, []))
  let changed = TimedSignal()
  var keepsConnection: HTTP2Connection?

  init(at moment: Moment) { self.moment = moment }

  private func reached(_ moment: Moment, _ connection: HTTP2Connection) {
    if moment == self.moment { connection.close() }
  }

  func connectionReady(_ connection: HTTP2Connection) {
    for ticket in UInt64(0)..<50 {
      _ = connection.submit(TestClient.request(ticket, body: [1], deadlineSeconds: 20))
    }
    reached(.ready, connection)
  }

  func connectionLimitChanged(_ connection: HTTP2Connection) { reached(.limitChanged, connection) }

  func connection(_ connection: HTTP2Connection, settled ticket: UInt64, _ outcome: HTTP2Outcome) {
    seen.withLock { $0.settled += 1 }
    reached(.settled, connection)
  }

  func connection(_ connection: HTTP2Connection, received goAway: GoAway) { reached(.goAway, connection) }

  func connectionClosed(_ connection: HTTP2Connection, _ failure: HTTP2Failure) {
    seen.withLock { $0.closed.append(failure) }
    keepsConnection = nil
    changed.raise()
  }
}

@Suite struct ClosingTests {
  @Test(arguments: Quitter.Moment.allCases)
  fileprivate func closingInsideACallIsSafe(moment: Quitter.Moment) async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in
      guard request.streamID == 99 else { return }
      connection.update(maxConcurrentStreams: 60)
      for streamID in stride(from: Int32(1), through: 99, by: 2) { connection.respond(streamID, status: 200) }
      connection.goAway()
    }
    let loop = try EventLoop(name: "test-client")
    let quitter = Quitter(at: moment)
    let port = peer.start().port
    let tls = try TestIdentity.clientTLS()
    loop.execute {
      let settings = HTTP2ConnectionSettings(host: "localhost", port: port, tls: tls)
      let connection = HTTP2Connection(loop: loop, settings: settings)
      connection.delegate = quitter
      quitter.keepsConnection = connection
      connection.open()
    }
    #expect(await quitter.changed.wait(on: quitter.seen) { !$0.closed.isEmpty })
    #expect(quitter.seen.withLock { $0.closed } == [.closedLocally])
    #expect(quitter.seen.withLock { $0.settled } == 50, "every request is settled once, before the end")
    loop.shutdown()
    peer.stop()
  }

  @Test func connectionsLeaveNoDescriptorsBehind() async throws {
    let peer = try TestPeer().start()
    for _ in 0..<20 {
      let client = try TestClient(port: peer.port)
      #expect(await client.ready())
      client.submit(0..<10)
      #expect(await client.outcomes(10).count == 10)
      client.stop()
    }
    #expect(await peer.wait { $0.closed.count == 20 })
    peer.stop()
  }
}
