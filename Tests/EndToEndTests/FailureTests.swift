import Playground
import TestFixtures
import Testing

extension EndToEndTests {
  /// What `doorstep serve` says and does when something it needs is wrong or away.
  struct FailureTests {
    private func serve(_ stack: Stack, _ settings: [String: String]) async throws -> (status: Int32?, words: String) {
      try await stack.launchService(overriding: settings)
      let child = try #require(await stack.service)
      return (await child.exit(within: 30), child.lastWords(lines: 100))
    }

    @Test func wrongSettingsEndWithASentence() async throws {
      try await withStack { stack in
        try await stack.migrate()
        var run = try await serve(stack, ["DOORSTEP_KAFKA_BROKER": "localhost:1"])
        #expect(run.status == 78)
        #expect(run.words.contains("DOORSTEP_KAFKA_BROKER") && run.words.contains("DOORSTEP_KAFKA_BROKERS"))

        run = try await serve(stack, ["DOORSTEP_DATABASE_POOL_SIZE": "many"])
        #expect(run.status == 78)
        #expect(run.words.contains("DOORSTEP_DATABASE_POOL_SIZE"))

        run = try await serve(stack, ["DOORSTEP_APNS_KEY_FILE": stack.folder.path + "/api-keys"])
        #expect(run.status == 78)
        #expect(run.words.contains("api-keys"))

        let taken = try Listener()
        run = try await serve(stack, ["DOORSTEP_OPS_ADDRESS": "127.0.0.1:\(taken.port)"])
        #expect(run.status == 1)
        #expect(run.words.contains("127.0.0.1:\(taken.port)"))
      }
    }

    @Test func aDatabaseThatIsAwayIsWaitedFor() async throws {
      try await withStack { stack in
        try await stack.migrate()
        let away = "postgresql://postgres@127.0.0.1:\(try LoopbackPort.free())/postgres"
        try await stack.launchService(overriding: ["DOORSTEP_DATABASE_URL": away])
        let child = try #require(await stack.service)
        let ops = LoopbackClient(base: "http://127.0.0.1:\(stack.opsPort)")
        let isWaiting = await Patience.until(within: 30) { (try? await ops.status("GET", "/readyz")) == 503 }
        #expect(isWaiting && child.exitStatus == nil, "\(child.lastWords())")
        #expect(child.lastWords(lines: 50).contains("database"))
        #expect(await stack.drainService() == 0)
      }
    }

    @Test func aTermSignalDrains() async throws {
      try await withStack { stack in
        try await stack.migrate()
        try await stack.startService()
        #expect(await stack.drainService() == 0)
      }
    }
  }
}
