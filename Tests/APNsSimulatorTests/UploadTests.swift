import FoundationEssentials
import Testing

@testable import APNsSimulator

/// The app's half of the registry: what it sends, in which order, and what it makes of the answers.
@Suite struct UploadTests {
  private func json(_ call: RegistryCall?) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(try #require(call).body))
  }

  @Test func theFirstRegistrationSaysEverything() throws {
    let bench = try Bench()
    let phone = try bench.phone { $0.os = OSRelease(17, 4) }
    let call = try #require(bench.calls.first)
    #expect(call.method == "PUT" && call.path == "/v1/installations/i-1" && call.credential == nil)
    let body = try json(call)
    #expect(body["revision"]?.whole == 1)
    #expect(body["osVersion"]?.text == "17.4")
    #expect(body["deviceToken"]?.text == phone.deviceToken)
    #expect(body["pushToStartTokens"]?["DeliveryAttributes"]?.text == phone.startToken)
    #expect(phone.app.credential == "c-0")
  }

  @Test func laterCallsCarryTheCredentialAndHigherRevisions() throws {
    let bench = try Bench()
    _ = try bench.phoneWithCard()
    #expect(bench.calls.dropFirst().allSatisfy { $0.credential == "c-0" })
    let revisions = try bench.calls.map { try json($0)["revision"]?.whole ?? 0 }
    #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
    let report = try json(bench.calls.last)
    #expect(report["startedBy"]?.text == "app" && report["state"]?.text == "active")
    #expect(report["startedAt"]?.text?.hasSuffix("Z") == true)
  }

  @Test func aFailingAPIIsAskedAgainInOrder() throws {
    let bench = try Bench()
    bench.status = 503
    let phone = try bench.phone()
    bench.run(30)
    #expect(!phone.app.isRegistered)
    #expect(bench.calls.count > 2)
    #expect(Set(bench.calls.map(\.path)).count == 1)
    bench.status = 200
    bench.run(60)
    #expect(phone.app.isRegistered)
  }

  @Test func aRefusedUploadIsAViolation() throws {
    let bench = try Bench()
    bench.status = 422
    _ = try bench.phone()
    bench.run(5)
    #expect(bench.records(.violation).map(\.word) == ["uploadRefused"])
  }

  @Test func aRejectedCredentialIsDropped() throws {
    let bench = try Bench()
    let phone = try bench.phone()
    bench.status = 401
    try bench.act(.notificationsOff)
    #expect(phone.app.credential == nil)
    bench.status = 200
    bench.run(5)
    #expect(bench.calls.last?.credential == nil)
    #expect(phone.app.credential == "c-0")
  }

  @Test func aBackgroundUploadComesAgainWithItsOldRevision() throws {
    let bench = try Bench()
    _ = try bench.phone { $0.behaviour.repeatUploadSeconds = 600 }
    bench.run(10)
    try bench.act(.notificationsOff)
    bench.run(700)
    let revisions = try bench.calls.map { try json($0)["revision"]?.whole ?? 0 }
    #expect(revisions == [1, 2, 1, 2])
  }

  @Test func reconcilingFollowsTheAnswer() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    let card = try #require(phone.cards.first)
    func answer(_ action: String, _ stage: String, order: String, activity: String?) -> ReconcileAnswer? {
      let id = activity.map { #","activityId":"\#($0)""# } ?? ""
      let body =
        #"{"orders":[{"action":"\#(action)","orderId":"\#(order)"\#(id),"snapshot":{"contentState":"#
        + #"\#(bench.state(stage, sequence: 7))}}]}"#
      return ReconcileAnswer.decode(Array(body.utf8), for: .builtIn)
    }
    func follow(_ answer: ReconcileAnswer?) throws {
      let answer = try #require(answer)
      bench.world.with(0) { phone, hands in phone.follow(answer, &hands) }
      bench.run(5)
    }
    try follow(answer("update", "ready", order: "o-1", activity: card.activityID))
    #expect(phone.cards.first?.drawn.stage == Steps(.ready))
    try follow(answer("start", "accepted", order: "o-9", activity: nil))
    #expect(phone.cards.last?.order == "o-9" && phone.cards.last?.starter == .app)
    #expect(phone.cards.last?.isRegistered == true)
    try follow(answer("end", "delivered", order: "o-1", activity: card.activityID))
    #expect(phone.activeCards == 1)
    #expect(
      bench.calls.contains { String(decoding: $0.body, as: UTF8.self).contains(#""state":"ended","cause":"app""#) })
  }

  @Test func openingTheAppReportsCardsAndWhatTheyShow() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard()
    try bench.tell(phone, "accepted", sequence: 42)
    bench.run(10)
    try bench.act(.open)
    bench.run(1)
    let body = try json(bench.calls.last)
    guard case .array(let activities)? = body["activities"] else {
      Issue.record("no activities")
      return
    }
    #expect(activities.map { $0["displayedSequence"]?.whole } == [42])
    #expect(activities.first?["updateToken"]?.text == phone.cards.first?.token)
  }
}
