import Domain
import Service
import Testing

@testable import API

@Suite struct ReconcileTests {
  private static func body(revision: Int, _ activities: String...) -> String {
    #"{"revision":\#(revision),"activities":[\#(activities.joined(separator: ","))]}"#
  }

  private static func activity(_ id: String, order: String = "o-1", sequence: Int = 0, token: String = "0a") -> String {
    #"{"activityId":"\#(id)","orderId":"\#(order)","attributesType":"DeliveryAttributes","state":"active","#
      + #""updateToken":"\#(token)","displayedSequence":\#(sequence)}"#
  }

  private func prepared(_ body: (TestAPI, String) async throws -> Void) async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1", user: "u-1")
      try await api.place("o-1", user: "u-1")
      try await body(api, credential)
    }
  }

  @Test func aCardThatIsBehindIsUpdatedAndOneThatIsNotIsKept() async throws {
    try await prepared { api, credential in
      let path = "/v1/installations/i-1/reconcile"
      let behind = try await api.send("POST", path, Self.body(revision: 2, Self.activity("a-1")), as: credential)
      #expect(behind.status == 200)
      #expect(behind.body.hasPrefix(#"{"orders":[{"orderId":"o-1","activityId":"a-1","action":"update","snapshot":{"#))
      #expect(behind.body.contains(#""relevanceScore":"#) && behind.body.contains(#""staleDate":"#))
      let current = try await api.send(
        "POST", path, Self.body(revision: 3, Self.activity("a-1", sequence: 42)), as: credential)
      #expect(current.body.contains(#""action":"keep""#))
    }
  }

  @Test func anOrderWithoutACardMayBeStarted() async throws {
    try await prepared { api, credential in
      let answer = try await api.send(
        "POST", "/v1/installations/i-1/reconcile", Self.body(revision: 2), as: credential)
      #expect(answer.body.hasPrefix(#"{"orders":[{"orderId":"o-1","action":"start","snapshot":{"#))
    }
  }

  @Test func aCardThatTheAppDoesNotFindIsGoneAndNotStartedAgain() async throws {
    try await prepared { api, credential in
      _ = try await api.send("PUT", "/v1/orders/o-1/activities/a-1", TestAPI.activity("i-1"), as: credential)
      let answer = try await api.send(
        "POST", "/v1/installations/i-1/reconcile", Self.body(revision: 2), as: credential)
      #expect(answer.body == #"{"orders":[]}"#)
    }
  }

  @Test func ofTwoCardsOfOneOrderTheOlderIsEnded() async throws {
    try await prepared { api, credential in
      let body = Self.body(revision: 2, Self.activity("a-1"), Self.activity("a-2", token: "0b"))
      let answer = try await api.send("POST", "/v1/installations/i-1/reconcile", body, as: credential)
      #expect(answer.body.contains(#""activityId":"a-1","action":"end""#))
      #expect(answer.body.contains(#""activityId":"a-2","action":"update""#))
    }
  }

  @Test func whatIsWrongIsToldWhere() async throws {
    try await prepared { api, credential in
      let path = "/v1/installations/i-1/reconcile"
      let answer = try await api.send(
        "POST", path, #"{"revision":2,"activities":[{"activityId":"a"}]}"#, as: credential)
      #expect(answer.status == 422)
      #expect(answer.text("pointer") == "/activities/0/state" || answer.text("pointer") == "/activities/0/orderId")
      let many = Array(repeating: Self.activity("a"), count: RegistrationLimits.activitiesMax + 1)
      let tooMany = #"{"revision":2,"activities":[\#(many.joined(separator: ","))]}"#
      #expect(try await api.send("POST", path, tooMany, as: credential).status == 422)
      #expect(try await api.send("POST", "/v1/installations/i-9/reconcile", Self.body(revision: 1)).status == 404)
    }
  }

  @Test func loggingOutEndsCardsAndForgetsTheCredential() async throws {
    try await prepared { api, credential in
      _ = try await api.send("PUT", "/v1/orders/o-1/activities/a-1", TestAPI.activity("i-1"), as: credential)
      #expect(try await api.send("DELETE", "/v1/installations/i-1", as: api.userToken("u-2")).status == 403)
      #expect(try await api.send("DELETE", "/v1/installations/i-1", as: credential).status == 204)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: credential).status == 401)
      let phone = try await api.store.phones(for: .init(phones: [InstallationID("i-1")]), now: api.clock.now()).first
      #expect(phone?.view.orders.first?.withdrawn == true)
      #expect(phone?.view.orders.first?.cards.first?.updateToken != nil, "kept until its end is told")
      #expect(try await api.send("DELETE", "/v1/installations/unknown").status == 204)
    }
  }

  @Test func telemetryIsCounted() async throws {
    try await prepared { (api, credential) async throws in
      let path = "/v1/installations/i-1/reports"
      let body = #"{"reports":[{"kind":"tap","name":"lockScreen","orderId":"o-1"},{"kind":"tap"}]}"#
      #expect(try await api.send("POST", path, body, as: credential).status == 202)
      for bad in [#"{"reports":[]}"#, #"{"reports":[{"kind":"x"}]}"#, #"{"reports":[{}]}"#, "{}"] {
        #expect(try await api.send("POST", path, bad, as: credential).status == 422)
      }
      let text = String(decoding: api.metrics.exposition(.prometheus), as: UTF8.self)
      #expect(text.contains("doorstep_app_reports_total{kind=\"tap\"} 2\n"))
    }
  }
}
