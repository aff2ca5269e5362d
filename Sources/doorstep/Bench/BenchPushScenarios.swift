import APNs
import Domain
import HTTP2
import Runtime
import Service

/// What no single connection shows: growth over a long way, and one dead connection among eight.
struct BenchPushScenarios {
  let options: BenchPushOptions

  static let growthPushes = 30_156
  static let roundTripSeconds = 0.05
  static let growthSecondsMax = 5.0
  private static let deadlineSeconds = 5.0
  private static let settledAfterSeconds = 15.0
  private static let measureSeconds = 5.0

  /// Prints one line a scenario.
  func run() async throws {
    let server = BenchPushServer(options: options)
    let loop = try EventLoop(name: "bench-server")
    let listening = try server.listen(on: loop)
    let proxyLoop = try EventLoop(name: "bench-proxy")
    guard let address = SocketAddress("127.0.0.1", port: 0) else { return }
    let proxy = try TCPProxy(loop: proxyLoop, address: address, target: listening.address)
    proxyLoop.execute {
      proxy.harm.delaySeconds = Self.roundTripSeconds / 2
      try? proxy.start()
    }
    try await growth(through: proxy)
    try await blackHole(through: proxy)
    proxyLoop.execute { proxy.stop() }
    proxyLoop.shutdown()
    loop.execute { listening.stop() }
    loop.shutdown()
    // The listener knows its delegate only weakly.
    withExtendedLifetime(server) {}
  }

  private func growth(through proxy: TCPProxy) async throws {
    var driver = try BenchPushDriver(
      options: options, target: "127.0.0.1:\(proxy.address.port)", connections: 2...8, tokens: Self.growthPushes,
      deadlineSeconds: 20)
    let began = MonotonicClock.now
    try await driver.gateway.start()
    while driver.answered < Self.growthPushes { try await driver.turn(upTo: Self.growthPushes) }
    let seconds = MonotonicClock.now - began
    await driver.gateway.drain()
    guard driver.accepted == Self.growthPushes else { throw BenchError("only \(driver.accepted) pushes were accepted") }
    BenchLine.print(
      "push-growth", seconds, "s for \(Self.growthPushes) tokens at 50 ms round trip, connections grown from 2",
      reference: Self.growthSecondsMax)
  }

  private func blackHole(through proxy: TCPProxy) async throws {
    var driver = try BenchPushDriver(
      options: options, target: "127.0.0.1:\(proxy.address.port)", connections: 8...8, tokens: 10_000,
      deadlineSeconds: Self.deadlineSeconds)
    try await driver.gateway.start()
    _ = try await accepted(by: &driver, seconds: Self.measureSeconds)
    let before = try await accepted(by: &driver, seconds: Self.measureSeconds)
    proxy.loop.execute { proxy.swallow(connections: 1) }
    _ = try await accepted(by: &driver, seconds: Self.settledAfterSeconds)
    let after = try await accepted(by: &driver, seconds: Self.measureSeconds)
    await driver.gateway.drain()
    BenchLine.print(
      "push-black-hole", Double(after) / Self.measureSeconds,
      "pushes per second 15 s after one of eight connections went silent",
      reference: Double(before) / Self.measureSeconds)
    BenchLine.print(
      "push-black-hole-wait", driver.longestSeconds, "s, the longest wait for an answer, against the deadline",
      reference: Self.deadlineSeconds)
  }

  private func accepted(by driver: inout BenchPushDriver, seconds: Double) async throws -> Int {
    let before = driver.accepted
    let end = MonotonicClock.now + seconds
    while MonotonicClock.now < end { try await driver.turn(upTo: .max) }
    return driver.accepted - before
  }
}
