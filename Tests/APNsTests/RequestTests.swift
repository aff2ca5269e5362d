import APNs
import Crypto
import Domain
import HTTP2
import Service
import Testing

/// What APNs gets to see of a push (docs/apns.md 1).
@Suite struct RequestTests {
  @Test func everyKindCarriesTheHeadersOfTheContract() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port)
    var start = harness.push(1, token: [0xAB, 0xCD])
    start.collapseID = "order-7"
    var background = harness.push(3, kind: .background)
    background.priority = 10
    let answers = await harness.send(gateway, [start, harness.push(2, kind: .alert), background])
    #expect(answers.count(.accepted) == 3)
    let requests = server.now.requests.sorted {
      ($0.field("apns-push-type") ?? "") < ($1.field("apns-push-type") ?? "")
    }
    let fields = requests.map { request in
      ["apns-push-type", "apns-topic", "apns-priority", "apns-expiration"].map { request.field($0) ?? "-" }
    }
    #expect(
      fields == [
        ["alert", "app.one", "10", "1790000120"], ["background", "app.one", "5", "1790000120"],
        ["liveactivity", "app.one.push-type.liveactivity", "10", "1790000120"],
      ])
    let first = try #require(requests.last)
    #expect(first.field(":method") == "POST")
    #expect(first.field(":scheme") == "https")
    #expect(first.field(":path") == "/3/device/abcd")
    #expect(first.field(":authority") == "127.0.0.1:\(server.port)")
    #expect(first.field("apns-collapse-id") == "order-7")
    #expect(first.field("apns-id") == answers[0].apnsID)
    #expect(first.body.count == 600)
    #expect(Set(requests.map { $0.field("apns-id") }).count == 3)
    for request in requests {
      #expect(Set(request.fields.map(\.name)).count == request.fields.count, "a header twice")
    }
    await gateway.drain()
    server.stop()
  }

  @Test func theProviderTokenIsWhatAppleAsksFor() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port)
    _ = await harness.send(gateway, [harness.push(1)])
    let bearer = try #require(server.now.requests.first?.field("authorization"))
    #expect(bearer.hasPrefix("bearer "))
    let parts = bearer.dropFirst(7).split(separator: ".")
    let decoded = parts.prefix(2).map { Base64URL.decode($0).map { String(decoding: $0, as: UTF8.self) } }
    #expect(decoded == [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"TEAM000001","iat":1790000000}"#])
    let key = try SigningKey(file: "\(harness.folder)/key.p8").publicKey
    let signature = try #require(parts.last.flatMap { Base64URL.decode($0) })
    #expect(key.verifies(Array("\(parts[0]).\(parts[1])".utf8), signature: signature))
    await gateway.drain()
    server.stop()
  }

  @Test func aPushOfAForeignAppIsAnsweredAtOnce() async throws {
    let harness = try Harness()
    let server = try ScriptedGateway(authority: harness.authority) { $0.answer(200) }
    let gateway = try await harness.gateway(port: server.port)
    let answers = await harness.send(gateway, [harness.push(1, bundleID: "app.other")])
    #expect(answers.map(\.outcome) == [.rejected])
    await gateway.drain()
    server.stop()
  }
}
