import Crypto
import Testing

@testable import API

@Suite struct AuthenticationTests {
  @Test func withoutAValidTokenNothingIsSaid() async throws {
    try await withAPI { api in
      let unsigned = api.userToken("u-1", header: #"{"alg":"none","kid":"1"}"#)
      let forged = String(api.userToken("u-1").dropLast(4)) + "AAAA"
      let expired = api.userToken("u-1", expiresIn: -120)
      let credential = try InstallationCredential(for: .init("i-1")).text
      for token in [nil, "", "x", unsigned, forged, expired, credential, "dic_", "dic_a.b"] {
        let answer = try await api.send("GET", "/v1/orders/o-1", as: token)
        #expect(answer.status == 401)
        #expect(answer.response.header("www-authenticate") == "Bearer")
        #expect(token.map { $0.isEmpty || !answer.body.contains($0) || $0 == "x" } ?? true)
      }
    }
  }

  @Test func aServiceKeyNeedsTheScope() async throws {
    try await withAPI { (api) async throws in
      #expect(try await api.send("GET", "/v1/orders/o-1", as: TestAPI.operatorSecret).status == 403)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: TestAPI.appSecret).status == 404)
    }
  }

  @Test func reloadedKeysReplaceTheFormerOnes() async throws {
    try await withAPI { (api) async throws in
      let token = api.userToken("u-1")
      #expect(try await api.send("GET", "/v1/orders/o-1", as: token).status == 404)
      api.server.reload(AuthenticationKeys(serviceKeys: ServiceKeys()))
      #expect(try await api.send("GET", "/v1/orders/o-1", as: token).status == 401)
      #expect(try await api.send("GET", "/v1/orders/o-1", as: TestAPI.appSecret).status == 401)
    }
  }

  @Test func unknownPathsAndMethods() async throws {
    try await withAPI { api in
      #expect(try await api.send("GET", "/nope", as: nil).status == 404)
      let answer = try await api.send("DELETE", "/v1/orders/o-1/start-intents", as: nil)
      #expect(answer.status == 405)
      #expect(answer.response.header("allow") == "POST")
    }
  }

  @Test func requestsAreCountedByTemplate() async throws {
    try await withAPI { api in
      for number in 0..<5 { _ = try await api.send("GET", "/nope/\(number)", as: nil) }
      _ = try await api.send("GET", "/v1/orders/o-1")
      let text = String(decoding: api.metrics.exposition(.prometheus), as: UTF8.self)
      #expect(text.contains("doorstep_http_requests_total{route=\"none\",status=\"404\"} 5\n"))
      #expect(text.contains("doorstep_http_requests_total{route=\"GET /v1/orders/{orderId}\",status=\"404\"} 1\n"))
    }
  }

  @Test(arguments: [
    "a app", "a app xyz", "a root \(String(repeating: "0", count: 64))",
    "a app \(String(repeating: "0", count: 64))\na operator \(String(repeating: "1", count: 64))",
  ])
  func aWrongKeysFileIsSaidWithItsLine(text: String) {
    #expect(throws: CryptoError.self) { try ServiceKeys(text: text, source: "keys") }
  }

  @Test func aKeyIsFoundByItsSecret() throws {
    let keys = try TestAPI.keys().serviceKeys
    #expect(keys.key(withSecret: TestAPI.appSecret)?.id == "backend")
    #expect(keys.key(withSecret: TestAPI.operatorSecret)?.scopes == [.operator])
    #expect(keys.key(withSecret: String(repeating: "x", count: 40)) == nil)
    #expect(keys.key(withSecret: "short") == nil)
  }
}
