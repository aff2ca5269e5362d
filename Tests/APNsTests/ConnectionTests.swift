import APNs
import Certificates
import HTTP2
import Runtime
import Service
import Testing

/// Connections that end, stall, lie or never come up, over real sockets (docs/apns.md 6).
@Suite struct ConnectionTests {
  @Test func afterGoAwayNothingIsLost() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.connection.id == 1, exchange.number > 20 { return exchange.reset(ScriptedGateway.refusedStream) }
      exchange.answer(200)
      if exchange.number == 20 { exchange.connection.goAway() }
    }
    let gateway = try await harness.gateway(port: server.port)
    for first in stride(from: 1, through: 66, by: 5) {
      _ = await harness.send(gateway, (first..<(first + 5)).map { harness.push($0) })
    }
    #expect(harness.collector.all.count(.accepted) == 70)
    #expect(server.now.opened == 2)
    #expect(harness.observer.now.goAways.count == 1)
    #expect(await server.eventually { $0.open == 1 }, "the old connection closes")
    await gateway.drain()
    server.stop()
  }

  @Test func answersAfterAGoAwayStillCount() async throws {
    let harness = try Harness()
    let held = Lock<[ScriptedGateway.Exchange]>([])
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      guard exchange.number > 1, exchange.connection.id == 1 else { return exchange.answer(200) }
      let all = held.withLock {
        $0.append(exchange)
        return $0
      }
      guard all.count == 8 else { return }
      exchange.connection.goAway()
      exchange.connection.loop.schedule(afterSeconds: 0.5) { for exchange in all { exchange.answer(200) } }
    }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, [harness.push(1)])
    #expect(await harness.send(gateway, (2...9).map { harness.push($0) }).count(.accepted) == 9)
    #expect(server.now.requests.count == 9, "no push went out twice")
    #expect(await harness.observer.eventually { $0.counts == ConnectionCounts(ready: 1) })
    // A drained connection without streams is closed and forgotten.
    server.withConnections { $0.goAway() }
    #expect(await server.eventually { $0.opened == 3 && $0.open == 1 })
    await gateway.drain()
    server.stop()
  }

  @Test func aLimitOfOneAndResetsCostNoPush() async throws {
    let harness = try Harness()
    let open = Lock<[ScriptedGateway.Exchange]>([])
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let connection = exchange.connection
      if exchange.token == "0bad" {
        connection.update(maxConcurrentStreams: 1)
        let others = open.withLock { all in
          defer { all = [] }
          return all
        }
        for other in others {
          other.reset(ScriptedGateway.refusedStream)
          other.reset(ScriptedGateway.streamClosed)
        }
        return exchange.answer(400, "BadDeviceToken")
      }
      if exchange.number > 1, exchange.number <= 30 { return open.withLock { $0.append(exchange) } }
      exchange.answer(200)
      connection.update(maxConcurrentStreams: 500)
    }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, [harness.push(1)])
    var pushes = (2...200).map { harness.push($0) }
    pushes.insert(harness.push(1000, token: [0x0B, 0xAD]), at: 29)
    let answers = await harness.send(gateway, pushes)
    #expect(answers.count(.accepted) == 200)
    #expect(answers.count(.tokenDead(since: nil)) == 1)
    #expect(server.now.opened == 1)
    await gateway.drain()
    server.stop()
  }

  @Test func aSilentPeerIsFoundAndReplaced() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port, connections: 1...2)
    _ = await harness.send(gateway, [harness.push(1)])
    // The peer stops reading and answering, without closing anything.
    server.withConnections { $0.setReading(false) }
    let answers = await harness.send(gateway, (2...21).map { harness.push($0, deadlineSeconds: 3) })
    #expect(answers.count == 21)
    #expect(answers.count(.accepted) + answers.count(.unknown) == 21)
    #expect(answers.allSatisfy { $0.seconds < 6 }, "every deadline fires")
    #expect(await harness.eventuallyAccepted(gateway, ticket: 100, seconds: 15))
    #expect(await harness.observer.eventually { $0.failures.contains { $0.contains("PING") } })
    await gateway.drain()
    server.stop()
  }

  @Test func aWindowThatNeverOpensEndsByDeadline() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(
      authority: harness.authority,
      settings: {
        $0.initialWindowBytes = 100
        $0.windowUpdates = .none
      }, script: { $0.answer(200) })
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(
      gateway, (1...30).map { harness.push($0, bodyBytes: 3500, deadlineSeconds: 1) })
    #expect(answers.count(.notSent) == 30, "not all of a body left: it cannot have been processed")
    #expect(server.now.requests.isEmpty)
    await gateway.drain()
    server.stop()
  }

  @Test func aWindowThatOpensLateIsWaitedFor() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(
      authority: harness.authority, settings: { $0.initialWindowBytes = 0 },
      onOpen: { connection in
        connection.loop.schedule(afterSeconds: 0.5) { connection.update(initialWindowBytes: 65535) }
      }, script: { $0.answer(200) })
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, (1...30).map { harness.push($0, bodyBytes: 3500) })
    #expect(answers.count(.accepted) == 30)
    #expect(server.now.requests.allSatisfy { $0.bodyBytes == 3500 })
    await gateway.drain()
    server.stop()
  }

  @Test(arguments: ["http/1.1", ""])
  func aPeerWithoutHTTP2IsNamed(selected: String) async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(
      authority: harness.authority, protocols: selected.isEmpty ? [] : [selected], script: { $0.answer(200) })
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, (1...5).map { harness.push($0, deadlineSeconds: 15) })
    #expect(answers.retries == 5, "none is given up")
    #expect(await harness.observer.eventually { $0.circuits.map(\.openedBy) == [.unreachable] })
    #expect(harness.observer.now.failures.allSatisfy { $0.contains("127.0.0.1") })
    await gateway.drain()
    server.stop()
  }

  @Test func anUnknownAuthorityIsNamed() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: CertificateAuthority(name: "somebody else")) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port)
    #expect(await harness.send(gateway, [harness.push(1)]).retries == 1)
    #expect(harness.observer.now.failures.contains { $0.contains("certificate") })
    await gateway.drain()
    server.stop()
  }

  @Test func anOutageEndsByItself() async throws {
    let harness = try Harness()
    let first = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let port = first.port
    let gateway = try await harness.gateway(port: port)
    _ = await harness.send(gateway, [harness.push(1)])
    first.stop()
    #expect(await harness.observer.eventually { $0.circuits.map(\.openedBy) == [.unreachable] })
    #expect(gateway.credits(for: harness.lane) == 0)
    let second = try ScriptedGateway(authority: harness.authority, port: port) { $0.answer(200) }
    #expect(await harness.eventuallyAccepted(gateway, ticket: 2))
    #expect(harness.observer.now.circuits.last?.openedBy == nil)
    await gateway.drain()
    second.stop()
  }

  @Test func everyConnectionResolvesAnew() async throws {
    let harness = try Harness()
    let resolver = ScriptedResolver(["127.0.0.11", "127.0.0.12"])
    let identity = harness.authority
    let first = try ScriptedGateway(authority: identity, address: "127.0.0.11") { exchange in
      exchange.answer(200)
      if exchange.number == 5 {
        exchange.connection.goAway()
        exchange.gateway.stopListening()
      }
    }
    let second = try ScriptedGateway(authority: identity, address: "127.0.0.12", port: first.port) { $0.answer(200) }
    let third = try ScriptedGateway(authority: identity, address: "127.0.0.13", port: first.port) { $0.answer(200) }
    let gateway = try await harness.gateway(port: first.port, host: "localhost", resolver: resolver)
    for ticket in 1...20 { _ = await harness.send(gateway, [harness.push(ticket)]) }
    #expect(harness.collector.all.count(.accepted) == 20)
    #expect(second.now.requests.count == 15)
    resolver.answer(with: ["127.0.0.13"])
    second.withConnections { $0.goAway() }
    #expect(await third.eventually { $0.opened == 1 })
    #expect(await harness.send(gateway, [harness.push(21)]).last?.outcome == .accepted)
    await gateway.drain()
    for server in [first, second, third] { server.stop() }
  }

  @Test func drainingWaitsForWhatIsInFlight() async throws {
    let harness = try Harness()
    let held = Lock<[ScriptedGateway.Exchange]>([])
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.number == 1 { return exchange.answer(200) }
      held.withLock { $0.append(exchange) }
    }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, [harness.push(1)])
    gateway.send((2...21).map { harness.push($0) }, answersTo: harness.collector)
    #expect(await server.eventually { $0.requests.count == 21 })
    async let drained: Void = gateway.drain()
    server.loop.execute {
      for exchange in held.withLock({ $0 }) { exchange.answer(200) }
    }
    await drained
    #expect(harness.collector.all.count(.accepted) == 21)
    gateway.send([harness.push(22)], answersTo: harness.collector)
    server.stop()
  }
}

/// Answers look-ups as a test says.
final class ScriptedResolver: NameResolver {
  private let addresses: Lock<[String]>

  init(_ addresses: [String]) { self.addresses = Lock(addresses) }

  func answer(with addresses: [String]) { self.addresses.withLock { $0 = addresses } }

  func resolve(
    host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], HTTP2Failure>) -> Void
  ) {
    completion(.success(addresses.withLock { $0 }.compactMap { SocketAddress($0, port: port) }))
  }
}
