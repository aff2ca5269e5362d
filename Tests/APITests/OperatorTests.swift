import Domain
import Testing

@testable import API

@Suite struct OperatorTests {
  @Test func operatorThingsAreForOperators() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1")
      for route in OperatorTests.routes {
        for token in [credential, api.userToken("u-1"), TestAPI.appSecret] {
          #expect(try await api.send(route.0, route.1, "{}", as: token).status == 403)
        }
      }
    }
  }

  private static let routes = [
    ("GET", "/v1/orders/o-1/explanation"), ("POST", "/v1/orders/o-1/resend"), ("POST", "/v1/orders/o-1/end"),
    ("GET", "/v1/users/u-1/installations"), ("DELETE", "/v1/users/u-1"), ("GET", "/v1/mode"), ("PUT", "/v1/mode"),
  ]

  @Test func anExplanationNamesTheRule() async throws {
    try await withAPI { api in
      _ = try await api.register("i-1", user: "u-1")
      try await api.place("o-1", user: "u-1")
      let answer = try await api.send("GET", "/v1/orders/o-1/explanation", as: TestAPI.operatorSecret)
      #expect(answer.status == 200)
      #expect(answer.body.contains(#""events":[{"stage":"placed","time":"#))
      #expect(answer.body.contains(#""installationId":"i-1","#))
      #expect(answer.body.contains(#""rule":""#))
      #expect(try await api.send("GET", "/v1/orders/o-2/explanation", as: TestAPI.operatorSecret).status == 404)
    }
  }

  @Test func endingAnOrdersCardsWakesItsPhonesAndIsAudited() async throws {
    try await withAPI { api in
      _ = try await api.register("i-1", user: "u-1")
      try await api.place("o-1", user: "u-1")
      _ = try await api.send("PUT", "/v1/orders/o-1/activities/a-1", TestAPI.activity("i-1"))
      for action in ["resend", "end"] {
        let answer = try await api.send("POST", "/v1/orders/o-1/\(action)", as: TestAPI.operatorSecret)
        #expect(answer.status == 202)
        #expect(answer.body == #"{"phones":1}"#)
        #expect(try await api.send("POST", "/v1/orders/o-2/\(action)", as: TestAPI.operatorSecret).status == 404)
      }
      let view = try await api.store.phones(for: .init(phones: [InstallationID("i-1")]), now: api.clock.now()).first
      #expect(view?.view.orders.first?.withdrawn == true)
      #expect(await api.store.auditLog.map(\.action) == ["order.resend", "order.end"])
      #expect(await api.store.auditLog.map(\.actor) == ["console", "console"])
      let audited = api.lines.withLock { $0 }.filter { $0.contains("audit.action") }
      #expect(audited.count == 2)
    }
  }

  @Test func anErasedUserIsGoneAndNotNamedInAnyLog() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1", user: "u-secret")
      #expect(try await api.send("DELETE", "/v1/users/u-secret", as: TestAPI.operatorSecret).status == 204)
      let left = try await api.send("GET", "/v1/users/u-secret/installations", as: TestAPI.operatorSecret)
      #expect(left.body == #"{"installations":[]}"#)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: credential).status == 401)
      let lines = api.lines.withLock { $0.joined() }
      #expect(!lines.contains("u-secret"))
      let subjects = await api.store.auditLog.map(\.subject)
      #expect(subjects.count == 1 && !subjects[0].contains("u-secret"))
    }
  }

  @Test func installationsAreShownWithoutTokens() async throws {
    try await withAPI { api in
      let body = TestAPI.registration().dropLast() + #","pushToStartTokens":{"DeliveryAttributes":"abcdef012345"}}"#
      _ = try await api.send("PUT", "/v1/installations/i-1", String(body))
      let answer = try await api.send("GET", "/v1/users/u-1/installations", as: TestAPI.operatorSecret)
      #expect(answer.body.contains(#""startTokenTypes":["DeliveryAttributes"]"#))
      #expect(!answer.body.contains("abcdef"))
    }
  }

  @Test func theModeIsChangedAtRunTime() async throws {
    try await withAPI { api in
      let key = TestAPI.operatorSecret
      let before = try await api.send("GET", "/v1/mode", as: key)
      #expect(before.body == #"{"mode":"on","startsPaused":false,"pausedApps":[],"allowList":[]}"#)
      let body = #"{"mode":"percent:5","startsPaused":true,"pausedApps":["a.b"]}"#
      #expect(try await api.send("PUT", "/v1/mode", body, as: key).status == 200)
      let again = try await api.send("PUT", "/v1/mode", #"{"allowList":["u-1"]}"#, as: key)
      #expect(again.body == #"{"mode":"percent:5","startsPaused":true,"pausedApps":["a.b"],"allowList":["u-1"]}"#)
      #expect(api.services.rollout.current.mode == .percent(5))
      #expect(try await api.store.rollout() == api.services.rollout.current)
      for bad in [#"{"mode":"half"}"#, #"{"mode":1}"#, #"{"startsPaused":"yes"}"#, #"{"pausedApps":[1]}"#, "[]"] {
        #expect(try await api.send("PUT", "/v1/mode", bad, as: key).status == 422)
      }
    }
  }
}
