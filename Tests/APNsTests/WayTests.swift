import APNs
import HTTP2
import Runtime
import Service
import Testing

/// The way between: long, silent, cut (docs/apns.md 6).
@Suite struct WayTests {
  private func proxy(to server: ScriptedGateway, delaySeconds: Double = 0) throws -> TCPProxy {
    let loop = try EventLoop(name: "proxy")
    guard let address = SocketAddress("127.0.0.1", port: 0), let target = SocketAddress("127.0.0.1", port: server.port)
    else { throw SystemError.last("address") }
    let proxy = try TCPProxy(loop: loop, address: address, target: target)
    loop.execute {
      proxy.harm.delaySeconds = delaySeconds
      try? proxy.start()
    }
    return proxy
  }

  private func stop(_ proxy: TCPProxy) {
    proxy.loop.execute { proxy.stop() }
    proxy.loop.shutdown()
  }

  @Test func aLongWayMakesThePoolGrow() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority, streams: 100) { $0.answer(200) }
    let proxy = try proxy(to: server, delaySeconds: 0.025)
    let gateway = try await harness.gateway(port: proxy.address.port, connections: 1...8)
    let answers = await harness.send(gateway, (0..<5000).map { harness.push($0, deadlineSeconds: 30) }, seconds: 40)
    #expect(answers.count(.accepted) == 5000)
    #expect(Set(server.now.requests.map { $0.field(":path") }).count == 5000)
    #expect(server.now.requests.count == 5000, "nothing went out twice")
    #expect(server.now.opened == 8)
    #expect(server.now.mostOpenStreams <= 100)
    await gateway.drain()
    stop(proxy)
    server.stop()
  }

  @Test func oneSilentConnectionOfEightHoldsUpOnlyItsOwn() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority, streams: 10) { $0.answer(200) }
    let proxy = try proxy(to: server)
    let gateway = try await harness.gateway(port: proxy.address.port, connections: 8...8)
    #expect(await harness.observer.eventually { $0.counts.ready == 8 })
    _ = await harness.send(gateway, (0..<200).map { harness.push($0) })
    proxy.loop.execute { proxy.swallow(connections: 1) }
    let answers = await harness.send(gateway, (200..<3000).map { harness.push($0, deadlineSeconds: 3) })
    #expect(answers.count == 3000)
    #expect(answers.count(.unknown) <= 10, "what was under way on the dead one")
    #expect(answers.count(.accepted) == 3000 - answers.count(.unknown))
    #expect(await server.eventually { $0.opened == 9 }, "and it is replaced")
    await gateway.drain()
    stop(proxy)
    server.stop()
  }

  @Test func manyGoAwaysAndCutsLeaveNothingBehind() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      exchange.answer(200)
      if exchange.number.isMultiple(of: 83) { exchange.connection.goAway() }
    }
    let proxy = try proxy(to: server)
    let gateway = try await harness.gateway(port: proxy.address.port, connections: 1...2)
    var open: Set<Int> = Set(0..<3000)
    for round in 0..<400 where !open.isEmpty {
      let collector = Collector()
      let batch = open.prefix(50).map { harness.push($0) }
      gateway.send(batch, answersTo: collector)
      if round % 15 == 14 { proxy.loop.execute { proxy.cut() } }
      for answer in await collector.first(batch.count) where answer.outcome == .accepted {
        open.remove(Int(answer.ticket))
      }
    }
    #expect(open.isEmpty, "every push got through in the end")
    #expect(server.now.opened >= 30)
    #expect(await server.eventually { $0.open <= 2 }, "no connection is left behind")
    #expect(
      await harness.observer.eventually { $0.counts.draining == 0 && $0.counts.connecting + $0.counts.ready <= 2 })
    await gateway.drain()
    #expect(await server.eventually { $0.open == 0 })
    stop(proxy)
    server.stop()
  }
}
