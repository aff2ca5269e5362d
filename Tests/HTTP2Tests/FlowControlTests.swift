import HTTP2
import Runtime
import Testing

@Suite struct FlowControlTests {
  private static let body = [UInt8](repeating: 97, count: 3500)

  @Test func aTinyWindowThatNeverOpensEndsByTheDeadlineAndIsNotOverrun() async throws {
    let peer = try TestPeer {
      $0.initialWindowBytes = 100
      $0.windowUpdates = .none
    }
    let began = Lock(0)
    peer.onBegan = { _, _ in began.withLock { $0 += 1 } }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<30, body: Self.body, deadlineSeconds: 0.3)
    #expect(await client.outcomes(30).values.allSatisfy { $0 == .notSent(.deadline) })
    #expect(await peer.wait { $0.streamEnds.count == 30 }, "the streams are reset")
    #expect(began.withLock { $0 } == 30)
    #expect(peer.seen.withLock { $0.requests }.isEmpty)
    #expect(peer.seen.withLock { $0.closed }.isEmpty, "an overrun window would have ended the connection")
    client.stop()
    peer.stop()
  }

  @Test func aTinyWindowThatOpensBitByBitLetsEverythingThrough() async throws {
    let peer = try TestPeer { $0.initialWindowBytes = 100 }.start()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<30, body: Self.body)
    #expect(await client.outcomes(30).values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    #expect(peer.seen.withLock { $0.requests.allSatisfy { $0.body == FlowControlTests.body } })
    client.stop()
    peer.stop()
  }

  @Test func aConnectionWindowThatIsUsedUpEndsByTheDeadline() async throws {
    let peer = try TestPeer { $0.windowUpdates = .streamOnly }.start()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<30, body: Self.body, deadlineSeconds: 0.5)
    let outcomes = await client.outcomes(30)
    // 65,535 bytes of connection window hold 18 bodies of 3,500; the 19th is cut short.
    #expect(outcomes.values.filter { $0 == .answered(HTTP2Response(status: 200)) }.count == 18)
    #expect(outcomes.values.filter { $0 == .notSent(.deadline) }.count == 12)
    client.stop()
    peer.stop()
  }

  @Test func aClosedWindowThatOpensLaterLetsEverythingThrough() async throws {
    let peer = try TestPeer { $0.initialWindowBytes = 0 }
    let began = Lock(0)
    peer.onBegan = { connection, _ in
      let count = began.withLock { count -> Int in
        count += 1
        return count
      }
      if count == 30 { connection.update(initialWindowBytes: 65_535) }
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<30, body: Self.body)
    #expect(await client.outcomes(30).values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    client.stop()
    peer.stop()
  }
}
