import APNs
import Domain
import HTTP2
import Runtime
import Service
import Testing

/// What becomes of each answer, over real sockets (docs/apns.md 3.1).
@Suite struct AnswerTests {
  @Test func goneCarriesTheTimeInMilliseconds() async throws {
    let harness = try Harness()
    let registered: Int64 = 1_790_000_000_000
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let before = exchange.token.hasPrefix("01")
      exchange.answer(410, "Unregistered", timestamp: registered + (before ? -5000 : 5000))
    }
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, [harness.push(1, token: [1]), harness.push(2, token: [2])])
    let since = answers.map { answer -> Double? in
      guard case .tokenDead(let since) = answer.outcome else { return nil }
      return since?.since(Instant(milliseconds: registered))
    }
    #expect(since == [-5, 5])
    #expect(answers.map(\.reason) == ["Unregistered", "Unregistered"])
    await gateway.drain()
    server.stop()
  }

  @Test func theWrongEnvironmentWipesNoRegistry() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(400, "BadDeviceToken") }
    let gateway = try await harness.gateway(port: server.port)
    var answers: [PushAnswer] = []
    for first in stride(from: 0, to: 200, by: 20) {
      answers = await harness.send(gateway, (first..<(first + 20)).map { harness.push($0) })
    }
    #expect(answers.count == 200)
    #expect(!answers.contains { if case .tokenDead = $0.outcome { true } else { false } })
    #expect(harness.observer.now.circuits.map(\.openedBy) == [.tokensRefused])
    #expect(gateway.credits(for: harness.lane) == 0)
    server.use { $0.answer(200) }
    #expect(await harness.eventuallyAccepted(gateway, ticket: 17))
    await gateway.drain()
    server.stop()
  }

  @Test func oneBadTokenAmongGoodOnesIsGivenUp() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.token == "0bad" { exchange.answer(400, "BadDeviceToken") } else { exchange.answer(200) }
    }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, (1...10).map { harness.push($0) })
    let answers = await harness.send(gateway, [harness.push(11, token: [0x0B, 0xAD])])
    #expect(answers.last?.outcome == .tokenDead(since: nil))
    #expect(harness.observer.now.badTokens == [true])
    await gateway.drain()
    server.stop()
  }

  @Test func aGuessedEnvironmentIsTriedOnceTheOtherWay() async throws {
    let harness = try Harness()
    let production = try ScriptedGateway(authority: harness.authority) { $0.answer(400, "BadDeviceToken") }
    let sandbox = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.token == "01" { exchange.answer(200) } else { exchange.answer(400, "BadDeviceToken") }
    }
    let gateway = try await harness.gateway(port: production.port) {
      $0.sandboxURL = "https://127.0.0.1:\(sandbox.port)"
      $0.apps[Harness.bundleID]?[0].environments = [.production, .sandbox]
    }
    let pushes = [1, 2].map { number -> Push in
      var push = harness.push(number, token: [UInt8(number)])
      push.environmentIsInferred = true
      return push
    }
    var answers = await harness.send(gateway, [pushes[0]])
    answers = await harness.send(gateway, [pushes[1]])
    #expect(answers.map(\.outcome) == [.accepted, .tokenDead(since: nil)])
    #expect(answers.map(\.environment) == [.sandbox, .sandbox])
    #expect(production.now.requests.count == 2 && sandbox.now.requests.count == 2)
    let known = await harness.send(gateway, [harness.push(3, token: [3])])
    #expect(known.last?.environment == .production, "a reported environment is not doubted")
    await gateway.drain()
    production.stop()
    sandbox.stop()
  }

  @Test func serverErrorsReplaceTheConnection() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.connection.id == 1, exchange.number > 1 {
        exchange.answer(500, "InternalServerError")
      } else {
        exchange.answer(200)
      }
    }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, [harness.push(1)])
    var tries = 0
    for ticket in 2...11 {
      var answer = await harness.send(gateway, [harness.push(ticket)]).last
      tries += 1
      while answer?.outcome != .accepted, tries < 20 {
        answer = await harness.send(gateway, [harness.push(ticket)]).last
        tries += 1
      }
      #expect(answer?.outcome == .accepted)
    }
    #expect(tries == 13, "three answers of 500, then another connection")
    #expect(server.now.opened == 2)
    await gateway.drain()
    server.stop()
  }

  @Test func anUnknownReasonFollowsItsStatus() async throws {
    let harness = try Harness()
    let statuses = [400, 403, 429]
    for status in statuses {
      let server = try ScriptedGateway(authority: harness.authority) { $0.answer(status, "ReasonFromNextYear") }
      let gateway = try await harness.gateway(port: server.port)
      let answer = try #require(await harness.send(gateway, [harness.push(1)]).last)
      #expect(answer.status == status && answer.reason == "ReasonFromNextYear")
      #expect((answer.outcome == .rejected) == (status == 400))
      if status == 400 {
        #expect(await harness.eventuallyHasCredits(gateway))
      } else {
        #expect(gateway.credits(for: harness.lane) == 0)
      }
      await gateway.drain()
      server.stop()
    }
    #expect(harness.observer.now.circuits.map(\.openedBy) == [.keyRefused, .paused])
  }

  @Test func retryAfterIsHeeded() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      exchange.answer(503, "ServiceUnavailable", fields: [HeaderField("retry-after", "120")])
    }
    let gateway = try await harness.gateway(port: server.port)
    guard case .retry(let seconds) = await harness.send(gateway, [harness.push(1)]).last?.outcome else {
      Issue.record("expected a retry")
      return
    }
    #expect(seconds >= 120 && seconds <= 3600)
    await gateway.drain()
    server.stop()
  }

  @Test func strangeBodiesDecideNothing() async throws {
    let harness = try Harness()
    let bodies: [[UInt8]] = [
      [], [0xFF, 0xFE], Array("<html>gone</html>".utf8), [UInt8](repeating: UInt8(ascii: "["), count: 300_000),
      Array(#"{"reason":"Unregistered"}trailing"#.utf8),
    ]
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let index = Int(exchange.token, radix: 16) ?? 0
      exchange.connection.respond(exchange.request.streamID, status: 400, body: bodies[index % bodies.count])
    }
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, (0..<20).map { harness.push($0, token: [UInt8($0)]) })
    #expect(answers.count(.rejected) == 20)
    #expect(answers.allSatisfy { $0.reason.isEmpty && $0.status == 400 })
    await gateway.drain()
    server.stop()
  }

  /// Four connections say 503 Shutdown and GOAWAY at once; what comes back is spread, not a wave.
  @Test func aShutdownBringsNoWave() async throws {
    let harness = try Harness()
    let answered = Lock(0)
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let count = answered.withLock {
        $0 += 1
        return $0
      }
      if count <= 100 { return exchange.answer(200) }
      exchange.answer(503, "Shutdown")
      exchange.connection.goAway()
    }
    let gateway = try await harness.gateway(port: server.port, connections: 4...4)
    let answers = await harness.send(gateway, (1...5000).map { harness.push($0, deadlineSeconds: 20) })
    #expect(answers.count == 5000)
    #expect(answers.count(.accepted) >= 100)
    let delays = answers.compactMap { answer -> Double? in
      if case .retry(let seconds) = answer.outcome { seconds } else { nil }
    }
    #expect(delays.count == 5000 - answers.count(.accepted))
    let buckets = Dictionary(grouping: delays) { Int($0) }.mapValues(\.count)
    #expect(Double(buckets.values.max() ?? 0) <= 0.2 * Double(delays.count), "\(buckets)")
    await gateway.drain()
    server.stop()
  }
}
