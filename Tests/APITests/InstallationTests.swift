import Domain
import Testing

@testable import API

@Suite struct InstallationTests {
  @Test func theFirstRegistrationGivesACredentialAndLaterOnesDoNot() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1")
      #expect(credential.hasPrefix("dic_"))
      let again = try await api.send("PUT", "/v1/installations/i-1", TestAPI.registration(revision: 2))
      #expect(again.status == 200)
      #expect(again.body == "{}")
      #expect(api.waker.all.phones == [InstallationID("i-1")])
    }
  }

  @Test func theCredentialIsGoodForItsInstallationOnly() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1")
      _ = try await api.register("i-2", user: "u-2")
      let own = try await api.send("PUT", "/v1/installations/i-1", #"{"revision":2,"locale":"fr"}"#, as: credential)
      #expect(own.status == 200)
      let foreign = try await api.send("PUT", "/v1/installations/i-2", #"{"revision":2}"#, as: credential)
      #expect(foreign.status == 403)
      let renamed = try await api.send(
        "PUT", "/v1/installations/i-1", #"{"revision":3,"userId":"u-2"}"#, as: credential)
      #expect(renamed.status == 403)
      let loggedOut = try await api.send(
        "PUT", "/v1/installations/i-1", #"{"revision":3,"userId":null}"#, as: credential)
      #expect(loggedOut.status == 200)
    }
  }

  @Test func aRenewedCredentialReplacesTheOldOne() async throws {
    try await withAPI { api in
      let old = try await api.register("i-1")
      let answer = try await api.send(
        "PUT", "/v1/installations/i-1", #"{"revision":2,"renewCredential":true}"#, as: old)
      let new = try #require(answer.text("installationCredential"))
      #expect(try await api.send("PUT", "/v1/installations/i-1", #"{"revision":3}"#, as: old).status == 401)
      #expect(try await api.send("PUT", "/v1/installations/i-1", #"{"revision":3}"#, as: new).status == 200)
    }
  }

  @Test func aUserRegistersOnlyForThemselves() async throws {
    try await withAPI { api in
      let token = api.userToken("u-1")
      let other = try await api.send("PUT", "/v1/installations/i-1", TestAPI.registration(user: "u-2"), as: token)
      #expect(other.status == 403)
      let unnamed = try await api.send("PUT", "/v1/installations/i-1", TestAPI.registration(user: nil), as: token)
      #expect(unnamed.status == 200)
      #expect(try await api.store.owner(of: InstallationID("i-1"))?.user == UserID("u-1"))
    }
  }

  @Test func anotherUserTakesAPhoneOverOnlyWithItsCredential() async throws {
    try await withAPI { api in
      let credential = try await api.register("i-1", user: "u-1")
      let token = api.userToken("u-2")
      let body = TestAPI.registration(revision: 2, user: "u-2")
      #expect(try await api.send("PUT", "/v1/installations/i-1", body, as: token).status == 403)
      let header = [(name: "Doorstep-Installation-Credential", value: credential)]
      #expect(try await api.send("PUT", "/v1/installations/i-1", body, as: token, headers: header).status == 200)
      #expect(try await api.store.owner(of: InstallationID("i-1"))?.user == UserID("u-2"))
    }
  }

  @Test func anOlderRevisionIsAcknowledgedAndIgnored() async throws {
    try await withAPI { api in
      _ = try await api.send("PUT", "/v1/installations/i-1", TestAPI.registration(revision: 5, user: "u-1"))
      let old = try await api.send("PUT", "/v1/installations/i-1", TestAPI.registration(revision: 4, user: "u-9"))
      #expect(old.status == 200)
      #expect(try await api.store.owner(of: InstallationID("i-1"))?.user == UserID("u-1"))
    }
  }

  @Test(arguments: [
    ("", 400, ""), ("[]", 422, ""), ("{", 400, ""), ("{}", 422, "/revision"), (#"{"revision":-1}"#, 422, "/revision"),
    (#"{"revision":1.5}"#, 422, "/revision"), (#"{"revision":1,"revision":2}"#, 400, ""),
    (#"{"revision":1}"#, 422, "/bundleId"), (#"{"revision":1,"bundleId":"a"}"#, 422, "/environment"),
    (#"{"revision":1,"bundleId":"a","environment":"test"}"#, 422, "/environment"),
    (#"{"revision":1,"bundleId":null}"#, 422, "/bundleId"), (#"{"revision":1,"userId":""}"#, 422, "/userId"),
    (#"{"revision":1,"userId":7}"#, 422, "/userId"), (#"{"revision":1,"userId":"a\u0000b"}"#, 422, "/userId"),
    (#"{"revision":1,"osVersion":"18.x"}"#, 422, "/osVersion"),
    (#"{"revision":1,"deviceToken":"abc"}"#, 422, "/deviceToken"),
    (#"{"revision":1,"deviceToken":"zz"}"#, 422, "/deviceToken"),
    (#"{"revision":1,"pushToStartTokens":{"A":"00f"}}"#, 422, "/pushToStartTokens/A"),
    (#"{"revision":1,"notifications":{"authorization":"maybe"}}"#, 422, "/notifications/authorization"),
  ])
  func aWrongBodyIsToldWhere(body: String, status: Int, pointer: String) async throws {
    try await withAPI { api in
      let answer = try await api.send("PUT", "/v1/installations/i-1", body)
      #expect(answer.status == status)
      #expect(answer.text("pointer") ?? "" == pointer)
      #expect(answer.response.header("content-type") == "application/problem+json")
      #expect(try await api.store.owner(of: InstallationID("i-1")) == nil, "a refused body changes nothing")
    }
  }

  @Test(arguments: [2, 160, 400])
  func tokensOfAnyLengthAreTaken(digits: Int) async throws {
    try await withAPI { (api) async throws in
      let token = String(repeating: "aB", count: digits / 2)
      let body = #"{"revision":1,"bundleId":"a","environment":"production","deviceToken":"\#(token)"}"#
      #expect(try await api.send("PUT", "/v1/installations/i-1", body).status == 200)
    }
  }

  @Test func anIdIsPercentDecoded() async throws {
    try await withAPI { (api) async throws in
      #expect(try await api.send("PUT", "/v1/installations/a%2Fb%20%C3%A9", TestAPI.registration()).status == 200)
      #expect(try await api.store.owner(of: InstallationID("a/b é")) != nil)
      for bad in ["%", "%2", "%zz", "%FF", "%00", "%0A"] {
        #expect(try await api.send("PUT", "/v1/installations/\(bad)", TestAPI.registration()).status == 404)
      }
      let long = String(repeating: "a", count: 201)
      #expect(try await api.send("PUT", "/v1/installations/\(long)", TestAPI.registration()).status == 422)
    }
  }
}
