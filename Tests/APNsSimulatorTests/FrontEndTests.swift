import Testing

@testable import APNsSimulator

/// Every answer of docs/apns.md 3 that one request can bring about.
@Suite struct FrontEndTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var reason: String
    var status: Int
    var headers: [String: String?] = [:]
    var path: String?
    var method = "POST"
    var body: String?
    var testDescription: String { reason }
  }

  static let cases: [Case] = [
    Case(reason: "MethodNotAllowed", status: 405, method: "GET"),
    Case(reason: "BadPath", status: 404, path: "/3/devices/aa"),
    Case(reason: "BadPath", status: 404, path: "/3/device/aa/bb"),
    Case(reason: "MissingDeviceToken", status: 400, path: "/3/device/"),
    Case(reason: "BadMessageId", status: 400, headers: ["apns-id": "not-a-uuid"]),
    Case(reason: "BadMessageId", status: 400, headers: ["apns-id": "0F8FAD5B-D9CB-469F-A165-70867728950E"]),
    Case(reason: "BadPriority", status: 400, headers: ["apns-priority": "7"]),
    Case(reason: "BadPriority", status: 400, headers: ["apns-priority": "1"]),
    Case(reason: "BadExpirationDate", status: 400, headers: ["apns-expiration": "soon"]),
    Case(reason: "BadExpirationDate", status: 400, headers: ["apns-expiration": "1790000000000"]),
    Case(reason: "BadCollapseId", status: 400, headers: ["apns-collapse-id": ""]),
    Case(reason: "BadCollapseId", status: 400, headers: ["apns-collapse-id": String(repeating: "x", count: 65)]),
    Case(reason: "InvalidPushType", status: 400, headers: ["apns-push-type": "live"]),
    Case(reason: "InvalidPushType", status: 400, headers: ["apns-push-type": nil]),
    Case(reason: "MissingProviderToken", status: 403, headers: ["authorization": nil]),
    Case(reason: "MissingProviderToken", status: 403, headers: ["authorization": "basic abc"]),
    Case(reason: "InvalidProviderToken", status: 403, headers: ["authorization": "bearer a.b.c"]),
    Case(reason: "MissingTopic", status: 400, headers: ["apns-topic": nil]),
    Case(reason: "BadTopic", status: 400, headers: ["apns-topic": "com.example.delivery"]),
    Case(reason: "BadTopic", status: 400, headers: ["apns-topic": "com example.push-type.liveactivity"]),
    Case(reason: "TopicDisallowed", status: 400, headers: ["apns-topic": "com.other.push-type.liveactivity"]),
    Case(
      reason: "TopicDisallowed", status: 400,
      headers: ["apns-topic": "com.example.delivery.push-type.liveactivity.push-type.liveactivity"]),
    Case(reason: "PayloadEmpty", status: 400, body: ""),
    Case(reason: "PayloadTooLarge", status: 413, body: String(repeating: "x", count: 4097)),
    Case(reason: "BadDeviceToken", status: 400, path: "/3/device/xyz"),
    Case(reason: "BadDeviceToken", status: 400, path: "/3/device/abc"),
    Case(reason: "BadDeviceToken", status: 400, path: "/3/device/\(String(repeating: "ab", count: 201))"),
    Case(reason: "BadDeviceToken", status: 400, path: "/3/device/abcd"),
    Case(
      reason: "DeviceTokenNotForTopic", status: 400,
      headers: ["apns-topic": "com.example.delivery", "apns-push-type": "alert"]),
  ]

  @Test(arguments: cases) func aWrongRequestIsRefusedAndIsAViolation(_ wrong: Case) throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let token = try #require(phone.cards.last?.token)
    let handling = bench.push(
      wrong.path ?? "/3/device/\(token)", wrong.body ?? "{}", method: wrong.method, headers: wrong.headers)
    #expect(handling.answer?.status == wrong.status)
    #expect(handling.answer?.reason == wrong.reason)
    #expect(bench.records(.violation).map(\.word) == [wrong.reason])
  }

  @Test func aGoodPushIsAcceptedWithTheSendersID() throws {
    let bench = try Bench(environment: .production)
    let phone = try bench.phoneWithCard()
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let handling = try bench.tell(phone, "accepted", headers: ["apns-id": id])
    #expect(handling.answer == APNsAnswer(status: 200, apnsID: id))
    #expect(handling.effects == [.streamLimit(500)])
    #expect(bench.records(.violation).isEmpty)
  }

  @Test func aHeaderSentTwiceIsRefused() throws {
    let bench = try Bench()
    let request = APNsRequest(
      method: "POST", path: "/3/device/abcd", headers: [("apns-topic", "a"), ("apns-topic", "a")], body: [])
    #expect(bench.world.receive(request, on: &bench.connection).answer?.reason == "DuplicateHeaders")
  }

  @Test func fourKilobytesAreTheLimitOfABody() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let token = try #require(phone.cards.last?.token)
    let shell = #"{"aps":{},"x":""}"#
    let full = #"{"aps":{},"x":"\#(String(repeating: "x", count: 4096 - shell.utf8.count))"}"#
    #expect(full.utf8.count == 4096)
    #expect(bench.push("/3/device/\(token)", full).answer?.status == 200)
  }

  @Test func anOrdinaryAlertGoesToTheDeviceToken() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    let headers: [String: String?] = ["apns-topic": "com.example.delivery", "apns-push-type": "alert"]
    let body = #"{"aps":{"alert":{"title":"T","body":"B"}},"orderId":"o-1","stage":"arriving"}"#
    #expect(bench.push("/3/device/\(phone.deviceToken)", body, headers: headers).answer?.status == 200)
    bench.run(1)
    #expect(bench.records(.ring).map(\.stage) == [Steps(.arriving)])
  }

  @Test func theSandboxKnowsNoProductionTokens() throws {
    let bench = try Bench(environment: .sandbox)
    let phone = try bench.phoneWithCard()
    let answer = try bench.tell(phone, "accepted").answer
    #expect(answer?.reason == "BadDeviceToken")
    #expect(answer?.uniqueID != nil)
  }

  @Test func deadTokensAnswerByTheirProfile() throws {
    for (afterlife, status, reason) in [
      (TokenAfterlife.accepted, 200, nil), (.badDeviceToken, 400, "BadDeviceToken"),
      (.unregistered, 410, "Unregistered"), (.expiredToken, 410, "ExpiredToken"),
    ] {
      let bench = try Bench()
      let phone = try bench.phoneWithCard { $0.behaviour.afterlife = afterlife }
      try bench.act(.killToken)
      let answer = try bench.tell(phone, "accepted").answer
      #expect(answer?.status == status)
      #expect(answer?.reason == reason)
      #expect((answer?.timestampMillis != nil) == (status == 410))
      #expect(bench.records(.violation).isEmpty)
    }
  }

  @Test func aFloodOnOneTokenIsTooMuch() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let reasons = try (0..<25).map { _ in try bench.tell(phone, "accepted").answer?.reason }
    #expect(reasons.count { $0 == "TooManyRequests" } == 5)
  }
}
