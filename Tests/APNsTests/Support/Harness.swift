import APNs
import Certificates
import Crypto
import Domain
import Glibc
import HTTP2
import Runtime
import Service

/// A gateway under test with everything it needs on disk: key file and CA file in a folder of its own.
final class Harness: Sendable {
  static let bundleID = "app.one"
  let folder: String
  let authority: CertificateAuthority
  let observer = RecordingObserver()
  let collector = Collector()
  /// Unix seconds of the provider tokens' store.
  let storeClock = Lock<Int64>(1_790_000_000)
  let tokenStore: MemoryProviderTokenStore

  init() throws {
    ProcessSignals.ignoreBrokenPipes()
    var template = Array("/tmp/doorstep-apns-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
    folder = String(cString: made)
    authority = try CertificateAuthority()
    let clock = storeClock
    tokenStore = MemoryProviderTokenStore { clock.withLock { $0 } }
    try write(authority.pem(), to: "ca.pem")
    try writeKey()
  }

  deinit {
    for name in ["ca.pem", "key.p8"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  func writeKey() throws { try write(SigningKey.generate().pem(), to: "key.p8") }

  func remove(_ names: [String]) {
    for name in names { unlink("\(folder)/\(name)") }
  }

  func write(_ text: String, to name: String) throws {
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
  }

  func gateway(
    port: UInt16, host: String = "127.0.0.1", connections: ClosedRange<Int> = 1...1, bundleIDs: [String] = [bundleID],
    resolver: any NameResolver = SystemResolver(), change: (inout APNsConfiguration) -> Void = { _ in }
  ) async throws -> APNsGateway {
    let key = APNsConfiguration.Key(
      teamID: "TEAM000001", keyID: "KEY0000001", file: "\(folder)/key.p8", environments: [.production])
    var configuration = APNsConfiguration(apps: Dictionary(uniqueKeysWithValues: bundleIDs.map { ($0, [key]) }))
    configuration.productionURL = "https://\(host):\(port)"
    configuration.caFile = "\(folder)/ca.pem"
    configuration.connectionsMin = connections.lowerBound
    configuration.connectionsMax = connections.upperBound
    change(&configuration)
    let gateway = try APNsGateway(configuration, tokenStore: tokenStore, observer: observer, resolver: resolver)
    try await gateway.start()
    return gateway
  }

  func push(
    _ ticket: Int, bundleID: String = bundleID, kind: Push.Kind = .liveActivity, token: [UInt8]? = nil,
    bodyBytes: Int = 600, deadlineSeconds: Double = 10
  ) -> Push {
    let bytes = token ?? (0..<32).map { UInt8(truncatingIfNeeded: ticket >> (($0 % 4) * 8)) }
    return Push(
      ticket: UInt64(ticket), lane: PushLane(bundleID: bundleID, environment: .production), kind: kind,
      token: PushToken(bytes: bytes) ?? Self.shortestToken, priority: 10, expiration: 1_790_000_120,
      body: [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes), deadlineSeconds: deadlineSeconds)
  }

  private static let shortestToken = PushToken(bytes: [0])!

  var lane: PushLane { PushLane(bundleID: Self.bundleID, environment: .production) }

  /// Sends them all at once and waits for all answers.
  func send(_ gateway: APNsGateway, _ pushes: [Push], seconds: Double = 20) async -> [PushAnswer] {
    let before = collector.all.count
    gateway.send(pushes, answersTo: collector)
    return Array(await collector.first(before + pushes.count, seconds: seconds))
  }

  /// Spoils the key file.
  func spoilKey() throws { try write("no key", to: "key.p8") }

  /// Credits are told at the end of a turn, a moment after its answers.
  func eventuallyHasCredits(_ gateway: APNsGateway, seconds: Double = 20) async -> Bool {
    let deadline = MonotonicClock.now + seconds
    let pause = TimedSignal()
    while gateway.credits(for: lane) == 0 {
      guard MonotonicClock.now < deadline else { return false }
      await pause.wait(seconds: 0.02)
    }
    return true
  }

  /// Sends one push as soon as the lane has a credit, and again until it is accepted: what a dispatcher does.
  func eventuallyAccepted(_ gateway: APNsGateway, ticket: Int, seconds: Double = 60) async -> Bool {
    let deadline = MonotonicClock.now + seconds
    let pause = TimedSignal()
    while MonotonicClock.now < deadline {
      if gateway.credits(for: lane) > 0 {
        let mine = Collector()
        gateway.send([push(ticket)], answersTo: mine)
        if await mine.first(1).first?.outcome == .accepted { return true }
      }
      await pause.wait(seconds: 0.05)
    }
    return false
  }

  /// Sends until the server has seen a second provider token.
  func untilNewBearer(_ gateway: APNsGateway, _ server: ScriptedGateway) async -> Bool {
    for ticket in 2000..<2200 {
      guard await eventuallyAccepted(gateway, ticket: ticket) else { return false }
      if server.now.allBearers.count == 2 { return true }
    }
    return false
  }
}
