import Domain
import Testing

@testable import API

@Suite struct OrderTests {
  @Test func aCardIsRegisteredAndGetsTheCurrentSnapshot() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1", user: "u-1")
      try await api.place("o-1", user: "u-1")
      let answer = try await api.send("PUT", "/v1/orders/o-1/activities/a-1", TestAPI.activity("i-1"), as: credential)
      #expect(answer.status == 200)
      #expect(answer.body.contains(#""contentState":{"sequence":42,"stage":"placed""#))
      #expect(answer.body.contains(#""attributes":{"orderID":"o-1","storeName":"Noodles""#))
    }
  }

  @Test func aCardOfAnOrderNotYetKnownIsKept() async throws {
    try await withAPI { api in
      _ = try await api.register("i-1")
      let answer = try await api.send("PUT", "/v1/orders/o-9/activities/a-1", TestAPI.activity("i-1"))
      #expect(answer.status == 200)
      #expect(answer.body == #"{"snapshot":null}"#)
    }
  }

  @Test func whatIsNotOnesOwnIsRefused() async throws {
    try await withAPI { api in
      let first = try await api.register("i-1", user: "u-1")
      let second = try await api.register("i-2", user: "u-2")
      try await api.place("o-1", user: "u-1")
      let path = "/v1/orders/o-1/activities/a-1"
      #expect(try await api.send("PUT", path, TestAPI.activity("i-2"), as: second).status == 403)
      #expect(try await api.send("PUT", path, TestAPI.activity("i-2"), as: first).status == 403)
      #expect(try await api.send("PUT", path, TestAPI.activity("i-1"), as: api.userToken("u-2")).status == 403)
      #expect(try await api.send("PUT", path, TestAPI.activity("i-7"), as: api.userToken("u-1")).status == 404)
      #expect(try await api.send("PUT", path, TestAPI.activity("i-7")).status == 404)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: second).status == 404)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: api.userToken("u-2")).status == 404)
      #expect(try await api.send("GET", "/v1/orders/o-2", as: api.userToken("u-1")).status == 404)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: first).status == 200)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: api.userToken("u-1")).status == 200)
      #expect(try await api.send("HEAD", "/v1/orders/o-1").status == 200)
    }
  }

  @Test func aStartIntentIsAnswered() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1")
      let body = #"{"revision":2,"installationId":"i-1","attributesType":"DeliveryAttributes"}"#
      let answer = try await api.send("POST", "/v1/orders/o-1/start-intents", body, as: credential)
      #expect(answer.status == 200)
      #expect(answer.body == #"{"pushStart":"none"}"#)
    }
  }

  @Test(arguments: [
    ("startedBy", #""x""#), ("startedAt", #""yesterday""#), ("state", #""gone""#), ("updateToken", #""q""#),
    ("cause", #""boredom""#), ("displayedSequence", "1.5"), ("installationId", "null"), ("attributesType", "7"),
  ])
  func aWrongMemberIsToldByName(member: String, value: String) async throws {
    try await withAPI { api in
      _ = try await api.register("i-1")
      let body = TestAPI.activity("i-1").replacing(member, with: value)
      let answer = try await api.send("PUT", "/v1/orders/o-1/activities/a-1", body)
      #expect(answer.status == 422)
      #expect(answer.text("pointer") == "/\(member)")
    }
  }
}

extension String {
  /// This JSON object with one member set.
  fileprivate func replacing(_ member: String, with value: String) -> String {
    let others = dropFirst().dropLast().split(separator: ",").filter { !$0.hasPrefix("\"\(member)\":") }
    return "{" + (others + ["\"\(member)\":\(value)"]).joined(separator: ",") + "}"
  }
}
