import HTTP2
import Runtime
import Testing

@Suite struct RawFrameTests {
  private static let endStream: UInt8 = 1
  private static let endHeaders: UInt8 = 4

  private static func answer(_ streamID: Int32, _ block: [UInt8], flags: UInt8 = endHeaders | endStream) -> [UInt8] {
    RawPeer.frame(type: 1, flags: flags, streamID: streamID, block)
  }

  /// Sends three requests to a peer that answers the first by `script`; how all of it ended.
  private func run(
    _ script: @escaping @Sendable (RawPeer.Connection, Int32) -> Void
  ) async throws -> (outcomes: [UInt64: HTTP2Outcome], closed: HTTP2Failure?) {
    let peer = try RawPeer { connection in
      connection.write(RawPeer.settings)
      guard let streamID = connection.readRequest() else { return }
      script(connection, streamID)
    }
    let client = try TestClient(port: peer.port)
    #expect(await client.ready())
    client.submit(0..<1)
    #expect(await client.wait { $0.outcomes.count == 1 })
    let seen = client.seen.withLock { $0 }
    client.stop()
    peer.stop()
    return (seen.outcomes, seen.closed.first)
  }

  @Test func garbageInsteadOfSettingsIsAProtocolError() async throws {
    let peer = try RawPeer { connection in
      connection.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
      connection.readToTheEnd()
    }
    let client = try TestClient(port: peer.port)
    guard case .protocolError = await client.open().closed() else {
      Issue.record("must be a protocol error, is \(client.seen.withLock { $0.closed })")
      return
    }
    client.stop()
    peer.stop()
  }

  @Test func aPeerWithoutSettingsEndsByTheConnectTimeout() async throws {
    let peer = try RawPeer { $0.readToTheEnd() }
    let client = try TestClient(port: peer.port) { $0.connectTimeoutSeconds = 0.3 }
    #expect(await client.open().closed() == .connectTimeout(stage: "TLS and first SETTINGS", seconds: 0.3))
    client.stop()
    peer.stop()
  }

  @Test func anInterimAnswerIsNotTheAnswer() async throws {
    let (outcomes, _) = try await run { connection, streamID in
      // `:status 103` as a literal with the static table's name.
      connection.write(Self.answer(streamID, [0x08, 3] + Array("103".utf8), flags: Self.endHeaders))
      connection.write(Self.answer(streamID, RawPeer.status200))
      connection.readToTheEnd()
    }
    #expect(outcomes == [0: .answered(HTTP2Response(status: 200))])
  }

  @Test func trailersEndAnAnswer() async throws {
    let (outcomes, _) = try await run { connection, streamID in
      connection.write(Self.answer(streamID, RawPeer.status400, flags: Self.endHeaders))
      connection.write(RawPeer.frame(type: 0, flags: 0, streamID: streamID, Array("{}".utf8)))
      connection.write(Self.answer(streamID, [0x00, 1] + Array("t".utf8) + [1] + Array("v".utf8)))
      connection.readToTheEnd()
    }
    #expect(outcomes == [0: .answered(HTTP2Response(status: 400, body: Array("{}".utf8)))])
  }

  @Test func twoResetsOnOneStreamUpsetNothing() async throws {
    let (outcomes, closed) = try await run { connection, streamID in
      for code: UInt8 in [7, 5] {
        connection.write(RawPeer.frame(type: 3, flags: 0, streamID: streamID, [0, 0, 0, code]))
      }
      connection.readToTheEnd()
    }
    #expect(outcomes == [0: .refused])
    #expect(closed == nil)
  }

  @Test func garbageBehindAnAnswerDoesNotTakeItBack() async throws {
    let (outcomes, _) = try await run { connection, streamID in
      connection.write(Self.answer(streamID, RawPeer.status200) + [UInt8](repeating: 0xFF, count: 100))
      connection.readToTheEnd()
    }
    #expect(outcomes == [0: .answered(HTTP2Response(status: 200))])
  }

  @Test func anAnswerCutInTheMiddleOfItsBodyCounts() async throws {
    let (outcomes, _) = try await run { connection, streamID in
      connection.write(Self.answer(streamID, RawPeer.status400, flags: Self.endHeaders))
      connection.write(RawPeer.frame(type: 0, flags: 0, streamID: streamID, Array(#"{"rea"#.utf8)))
    }
    #expect(outcomes == [0: .answered(HTTP2Response(status: 400, body: Array(#"{"rea"#.utf8)))])
  }

  @Test(arguments: [
    // A header block that HPACK cannot read, DATA before HEADERS, an answer without :status.
    RawPeer.frame(type: 1, flags: 5, streamID: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    RawPeer.frame(type: 0, flags: 1, streamID: 1, [1, 2, 3]),
    RawPeer.frame(type: 1, flags: 5, streamID: 1, [0x00, 1] + Array("t".utf8) + [1] + Array("v".utf8)),
  ]) func brokenAnswersLeaveTheRequestInDoubt(bytes: [UInt8]) async throws {
    let (outcomes, _) = try await run { connection, _ in
      connection.write(bytes)
      connection.readToTheEnd()
    }
    guard case .ambiguous = outcomes[0] else {
      Issue.record("must be in doubt, is \(String(describing: outcomes[0]))")
      return
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>) func fuzzedFramesNeverTrapNorLoseARequest(seed: UInt64) async throws {
    let (outcomes, _) = try await run { connection, streamID in
      var random = SplitMix(state: seed)
      for _ in 0..<20 {
        let payload = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        connection.write(
          RawPeer.frame(
            type: UInt8(random.next() % 11), flags: UInt8(truncatingIfNeeded: random.next()),
            streamID: random.next() % 2 == 0 ? streamID : Int32(random.next() % 8), payload))
      }
    }
    #expect(outcomes.count == 1, "seed \(seed)")
  }
}

struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
