import Glibc
import Playground
import Testing

@testable import API

/// Requests made up from api/openapi.yaml find no server error and no answer that is not described.
@Suite struct GeneratedRequestTests {
  @Test(.enabled(if: getenv("TEST_EXTRA") != nil)) func generatedRequestsFindNothing() async throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    try await withAPI { api in
      let log = "/tmp/doorstep-fuzz-api-\(getpid()).log"
      let child = try await ChildProcess.start(
        name: "fuzz-api", program: root + "/scripts/fuzz-api",
        arguments: ["http://127.0.0.1:\(api.server.port ?? 0)", "300"],
        environment: ["APP_KEY": TestAPI.appSecret, "OPERATOR_KEY": TestAPI.operatorSecret], logPath: log)
      let status = await child.exit(within: 900)
      #expect(status == 0, "\(child.lastWords(lines: 60))")
      unlink(log)
    }
  }
}
