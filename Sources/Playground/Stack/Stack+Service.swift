import Crypto
import Glibc

/// The service under test: `doorstep migrate` and `doorstep serve` with settings by environment.
extension Stack {
  /// The service's settings; tests override some.
  public var environment: [String: String] {
    [
      "DOORSTEP_KAFKA_BROKERS": brokers,
      "DOORSTEP_KAFKA_PROPERTIES": "session.timeout.ms=6000;fetch.wait.max.ms=10",
      "DOORSTEP_DATABASE_URL": databaseURL,
      "DOORSTEP_APNS_TEAM_ID": simulator.teamID,
      "DOORSTEP_APNS_KEY_ID": simulator.keyID,
      "DOORSTEP_APNS_KEY_FILE": simulator.keyFile,
      "DOORSTEP_APNS_BUNDLE_IDS": simulator.bundleIDs.joined(separator: ","),
      "DOORSTEP_APNS_PRODUCTION_URL": simulator.productionURL,
      "DOORSTEP_APNS_SANDBOX_URL": simulator.sandboxURL,
      "DOORSTEP_APNS_CA_FILE": simulator.caFile,
      "DOORSTEP_API_ADDRESS": "127.0.0.1:\(apiPort)",
      "DOORSTEP_OPS_ADDRESS": "127.0.0.1:\(opsPort)",
      "DOORSTEP_API_KEYS_FILE": folder.path + "/api-keys",
      "DOORSTEP_DEMO_CLOCK": "\(clockOrigin),\(speed)",
    ]
  }

  /// A service key for phones and operators: as it is for the simulator, hashed for the service.
  func writeKeys(to path: String) throws(PlaygroundError) {
    var random = SystemRandomNumberGenerator()
    let key = (0..<4).map { _ in String(random.next(), radix: 16) }.joined()
    let hash = Crypto.sha256(Array(key.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    guard TextFile.write(key, to: path),
      TextFile.write("playground app,operator \(hash)\n", to: folder.path + "/api-keys")
    else {
      throw PlaygroundError("cannot write to \(folder.path)")
    }
  }

  /// Applies the migrations with `doorstep migrate`.
  public func migrate() async throws(PlaygroundError) {
    let child = try await start("migrate", ["migrate"], environment)
    guard await child.exit(within: Self.readySecondsMax) == 0 else { throw failure(of: child) }
  }

  /// Starts `doorstep serve` without waiting for it to be ready.
  public func launchService(overriding settings: [String: String] = [:]) async throws(PlaygroundError) {
    service = try await start("serve", ["serve"], environment.merging(settings) { $1 })
  }

  /// Starts `doorstep serve` and waits until it says it is ready.
  public func startService() async throws(PlaygroundError) {
    try await launchService()
    let ops = LoopbackClient(base: "http://127.0.0.1:\(opsPort)")
    guard let child = service else { return }
    let isReady = await Patience.until(within: Self.readySecondsMax) {
      if child.exitStatus != nil { return true }
      return (try? await ops.status("GET", "/readyz")) == 200
    }
    guard isReady, child.exitStatus == nil else { throw failure(of: child) }
  }

  /// Kills the service like a lost machine, and starts it again.
  public func killAndRestartService() async throws(PlaygroundError) {
    let killed = Self.nowMicros
    service?.kill()
    _ = await service?.exit(within: 10)
    restarts += 1
    try await startService()
    // The group takes the dead member out after its session: twice that is what a restart may cost.
    let settled = Self.nowMicros + 2 * Self.sessionMicros
    try await control.exclude(fromMicros: killed, untilMicros: settled)
  }

  /// `session.timeout.ms` of the service under test.
  private static let sessionMicros: Int64 = 6_000_000

  private static var nowMicros: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  /// Asks the service to drain; its exit status, nil when it did not end in time and was killed.
  public func drainService() async -> Int32? {
    guard let child = service else { return nil }
    child.terminate()
    let status = await child.exit(within: Self.drainSecondsMax)
    child.kill()
    return status
  }
}
