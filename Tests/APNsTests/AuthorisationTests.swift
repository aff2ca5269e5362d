import APNs
import HTTP2
import Runtime
import Service
import Testing

/// Provider tokens and keys against a gateway that refuses them.
@Suite struct AuthorisationTests {
  @Test func oneTokenForAllConnectionsAndTopics() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let bearers = exchange.gateway.now.bearers[exchange.connection.id] ?? []
      if bearers.count > 1 { exchange.answer(429, "TooManyProviderTokenUpdates") } else { exchange.answer(200) }
    }
    let gateway = try await harness.gateway(port: server.port, connections: 4...4, bundleIDs: ["app.one", "app.two"])
    let pushes = (1...200).map { harness.push($0, bundleID: $0.isMultiple(of: 2) ? "app.one" : "app.two") }
    let answers = await harness.send(gateway, pushes)
    #expect(answers.count(.accepted) == 200)
    #expect(server.now.allBearers.count == 1)
    #expect(server.now.opened == 4)
    await gateway.drain()
    server.stop()
  }

  @Test func aHundredExpiredTogetherAreOneRefreshAndOneRepeatEach() async throws {
    let harness = try Harness()
    let held = Lock<[ScriptedGateway.Exchange]>([])
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port)
    #expect(await harness.send(gateway, [harness.push(1)]).count(.accepted) == 1)
    let first = try #require(server.now.allBearers.first)
    server.use { exchange in
      guard exchange.request.field("authorization") == first else { return exchange.answer(200) }
      let all = held.withLock {
        $0.append(exchange)
        return $0.count == 100 ? $0 : []
      }
      for exchange in all { exchange.answer(403, "ExpiredProviderToken") }
    }
    harness.storeClock.withLock { $0 += 3601 }
    let answers = await harness.send(gateway, (2...101).map { harness.push($0) })
    #expect(answers.count(.accepted) == 101)
    #expect(server.now.allBearers.count == 2)
    #expect(server.now.requests.count == 201)
    await gateway.drain()
    server.stop()
  }

  @Test func aGatewayThatAlwaysSaysExpiredGetsOneTokenAndASlowProbe() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(403, "ExpiredProviderToken") }
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, (1...100).map { harness.push($0) })
    #expect(answers.retries == 100, "nothing is given up")
    #expect(server.now.allBearers.count == 1, "minted seconds ago: no other one within 20 minutes")
    #expect(server.now.requests.count <= 2)
    #expect(harness.observer.now.circuits.map(\.openedBy) == [.providerTokenRefused])
    #expect(gateway.credits(for: harness.lane) == 0)
    // 21 minutes later by the store's clock the next probe brings a new token, and it is the gateway's turn to agree.
    harness.storeClock.withLock { $0 += 21 * 60 }
    server.use { exchange in
      if exchange.gateway.now.allBearers.count < 2 {
        exchange.answer(403, "ExpiredProviderToken")
      } else {
        exchange.answer(200)
      }
    }
    #expect(await harness.eventuallyAccepted(gateway, ticket: 1000))
    #expect(server.now.allBearers.count == 2)
    await gateway.drain()
    server.stop()
  }

  @Test func tooManyTokenUpdatesKeepTheToken() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.number <= 2 { exchange.answer(429, "TooManyProviderTokenUpdates") } else { exchange.answer(200) }
    }
    let gateway = try await harness.gateway(port: server.port)
    harness.storeClock.withLock { $0 += 1500 }
    let answers = await harness.send(gateway, (1...40).map { harness.push($0) })
    #expect(answers.retries == 40)
    #expect(harness.observer.now.circuits.map(\.openedBy) == [.tooManyProviderTokens])
    #expect(await harness.eventuallyAccepted(gateway, ticket: 1000))
    #expect(server.now.allBearers.count == 1)
    await gateway.drain()
    server.stop()
  }

  @Test(arguments: ["Forbidden", "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken", "WordFromNextYear"])
  func aRefusedKeyStopsTheKeyAndKeepsTheTokens(reason: String) async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(403, reason) }
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, (1...20).map { harness.push($0) })
    #expect(answers.retries == 20)
    #expect(answers.contains { $0.reason == reason && $0.status == 403 })
    #expect(server.now.requests.count == 1)
    #expect(harness.observer.now.circuits.map(\.openedBy) == [.keyRefused])
    #expect(harness.observer.now.circuits.first?.reason == reason)
    await gateway.drain()
    server.stop()
  }

  @Test func aRefusedAppLeavesTheOthersAlone() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      let isOne = exchange.request.field("apns-topic")?.hasPrefix("app.one") ?? false
      if isOne { exchange.answer(400, "TopicDisallowed") } else { exchange.answer(200) }
    }
    let gateway = try await harness.gateway(port: server.port, bundleIDs: ["app.one", "app.two"])
    #expect(await harness.send(gateway, [harness.push(1)]).retries == 1)
    #expect(gateway.credits(for: harness.lane) == 0)
    let answers = await harness.send(gateway, (2...20).map { harness.push($0, bundleID: "app.two") })
    #expect(answers.count(.accepted) == 19)
    #expect(harness.observer.now.circuits.map(\.bundleID) == ["app.one"])
    await gateway.drain()
    server.stop()
  }

  @Test func anInvalidTokenHasTheKeyFileReadAgain() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { exchange in
      if exchange.gateway.now.allBearers.count < 2 {
        exchange.answer(403, "InvalidProviderToken")
      } else {
        exchange.answer(200)
      }
    }
    let gateway = try await harness.gateway(port: server.port)
    #expect(await harness.observer.eventually { $0.counts.ready == 1 })
    try harness.writeKey()
    let answers = await harness.send(gateway, [harness.push(1)])
    #expect(answers.count(.accepted) == 1)
    #expect(harness.observer.now.circuits.isEmpty)
    await gateway.drain()
    server.stop()
  }

  @Test func reloadingTheKeyDropsNoWork() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port, connections: 2...2)
    _ = await harness.send(gateway, [harness.push(0)])
    gateway.send((1...500).map { harness.push($0) }, answersTo: harness.collector)
    try harness.writeKey()
    try gateway.reloadKeys()
    gateway.send((501...1000).map { harness.push($0) }, answersTo: harness.collector)
    #expect(await harness.collector.first(1001).count(.accepted) == 1001)
    #expect(await harness.untilNewBearer(gateway, server))
    // A file that cannot be used leaves the key as it is and says which file it was.
    try harness.spoilKey()
    #expect(throws: (any Error).self) { try gateway.reloadKeys() }
    #expect(await harness.send(gateway, [harness.push(5000)]).last?.outcome == .accepted)
    await gateway.drain()
    server.stop()
  }
}
