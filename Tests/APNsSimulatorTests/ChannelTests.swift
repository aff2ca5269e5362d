import Testing

@testable import APNsSimulator

/// Channel management and broadcasts (docs/apns.md 6).
@Suite struct ChannelTests {
  private func manage(
    _ bench: Bench, _ method: String, _ what: String = "channels", bundle: String = "com.example.delivery",
    body: String = "", channel: String? = nil
  ) -> APNsAnswer? {
    var headers = [(name: "authorization", value: "bearer \(bench.token)")]
    if let channel { headers.append((name: "apns-channel-id", value: channel)) }
    let request = APNsRequest(
      method: method, path: "/1/apps/\(bundle)/\(what)", headers: headers, body: Array(body.utf8))
    return bench.world.manage(request, on: &bench.connection).answer
  }

  private func create(_ bench: Bench, policy: Int) throws -> String {
    let answer = manage(bench, "POST", body: #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
    #expect(answer?.status == 201)
    return try #require(answer?.fields["apns-channel-id"])
  }

  private func broadcast(
    _ bench: Bench, _ channel: String?, event: String = "update", expiration: String? = "0"
  ) -> String? {
    let body =
      #"{"aps":{"timestamp":\#(bench.nextTimestamp()),"event":"\#(event)","#
      + #""content-state":\#(bench.state("ready", sequence: 5))}}"#
    let headers: [String: String?] = [
      "apns-topic": nil, "apns-channel-id": channel, "apns-expiration": expiration,
    ]
    let answer = bench.push("/4/broadcasts/apps/com.example.delivery", body, headers: headers).answer
    return answer?.status == 200 ? "200" : answer?.reason
  }

  @Test func aChannelIsMadeReadListedAndDeleted() throws {
    let bench = try Bench()
    let id = try create(bench, policy: 1)
    let read = manage(bench, "GET", channel: id)
    #expect(read?.json == Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
    #expect(manage(bench, "GET", "all-channels")?.json == Array(#"{"channels":["\#(id)"]}"#.utf8))
    #expect(manage(bench, "DELETE", channel: id)?.status == 204)
    #expect(manage(bench, "GET", channel: id)?.reason == "ChannelNotRegistered")
  }

  @Test func whatTheChannelAPIRefuses() throws {
    let bench = try Bench()
    #expect(manage(bench, "GET")?.reason == "MissingChannelId")
    #expect(manage(bench, "GET", channel: "%")?.reason == "BadChannelId")
    #expect(manage(bench, "POST", body: "x")?.reason == "BadRequestPayload")
    #expect(manage(bench, "POST", body: #"{"message-storage-policy":1}"#)?.reason == "MissingPushType")
    #expect(manage(bench, "PUT")?.reason == "MethodNotAllowed")
    #expect(manage(bench, "GET", bundle: "com.other", channel: "YQ==")?.reason == "TopicMismatch")
    #expect(
      manage(bench, "GET", bundle: "com.example.delivery.push-type.liveactivity", channel: "YQ==")?.reason
        == "TopicDisallowed")
  }

  @Test func aBroadcastReachesTheCardsOfItsChannel() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    let id = try create(bench, policy: 0)
    try bench.start(phone, extra: #","input-push-channel":"\#(id)""#)
    bench.run(10)
    #expect(broadcast(bench, id) == "200")
    bench.run(10)
    #expect(phone.cards.first?.drawn.stage == Steps(.ready))
    #expect(broadcast(bench, id, event: "end") == "200")
    bench.run(10)
    #expect(phone.activeCards == 0)
  }

  @Test func whatABroadcastMayNotBe() throws {
    let bench = try Bench()
    let id = try create(bench, policy: 0)
    #expect(broadcast(bench, nil) == "MissingChannelId")
    #expect(broadcast(bench, "YQ==") == "ChannelNotRegistered")
    #expect(broadcast(bench, id, event: "start") == "BadRequestPayload")
    #expect(broadcast(bench, id, expiration: String(bench.now.seconds + 60)) == "BadExpirationDate")
    #expect(broadcast(bench, id, expiration: nil) == "BadExpirationDate")
  }
}
