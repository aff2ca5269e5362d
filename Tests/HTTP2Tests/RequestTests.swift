import HTTP2
import Runtime
import Testing

@Suite struct RequestTests {
  @Test func aThousandRequestsAreAnsweredOnceEach() async throws {
    let peer = try TestPeer { $0.maxConcurrentStreams = 1000 }.start()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<1000, body: [UInt8](repeating: 97, count: 600))
    let outcomes = await client.outcomes(1000)
    #expect(outcomes.values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    #expect(client.seen.withLock { $0.settledTwice } == 0)
    #expect(peer.seen.withLock { $0.requests.count } == 1000)
    client.stop()
    peer.stop()
  }

  @Test func fieldsArriveInOrderAndTheWantedOnesComeBack() async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in
      connection.respond(
        request.streamID, status: 400,
        fields: [HeaderField("apns-id", "42"), HeaderField("x-other", "dropped")], body: Array(#"{"reason":"X"}"#.utf8))
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(7..<8, body: [1, 2, 3])
    let expected = HTTP2Response(
      status: 400, fields: [HeaderField("apns-id", "42")], body: Array(#"{"reason":"X"}"#.utf8))
    #expect(await client.outcomes(1) == [7: .answered(expected)])
    let request = try #require(peer.seen.withLock { $0.requests.first })
    #expect(
      request.fields == [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":authority", "localhost:\(peer.port)"), HeaderField(":path", "/push/7"),
        HeaderField("x-ticket", "7"),
      ])
    #expect(request.body == [1, 2, 3])
    client.stop()
    peer.stop()
  }

  @Test(arguments: [0, 1, 8192, 8193, 2_000_000]) func aBodyIsKeptUpToItsLimit(bytes: Int) async throws {
    let peer = try TestPeer()
    peer.onRequest = { connection, request in
      connection.respond(request.streamID, status: 200, body: [UInt8](repeating: 120, count: bytes))
    }
    let client = try TestClient(port: peer.start().port)
    #expect(await client.ready())
    client.submit(0..<3)
    let expected = HTTP2Response(status: 200, body: [UInt8](repeating: 120, count: min(bytes, 8192)))
    for outcome in await client.outcomes(3).values { #expect(outcome == .answered(expected)) }
    client.submit(3..<4)
    #expect(await client.outcomes(4).count == 4, "the connection must go on")
    client.stop()
    peer.stop()
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 3_000_000]) func bodiesOfAnySizeArrive(bytes: Int) async throws {
    let peer = try TestPeer { $0.requestBytesMax = 4_000_000 }.start()
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    var body = [UInt8](repeating: 120, count: bytes)
    for index in stride(from: 0, to: bytes, by: 1021) { body[index] = UInt8(truncatingIfNeeded: index) }
    client.submit(0..<3, body: body)
    #expect(await client.outcomes(3).count == 3)
    for request in peer.seen.withLock({ $0.requests }) {
      #expect(request.bodyBytes == bytes)
      #expect(request.body == body)
    }
    client.stop()
    peer.stop()
  }
}
