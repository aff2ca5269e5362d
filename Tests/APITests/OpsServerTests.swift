import HTTPClient
import HTTPServer
import Observability
import Testing

@testable import API

@Suite struct OpsServerTests {
  private func get(_ server: OpsServer, _ path: String, accept: String? = nil) async throws -> HTTPClientResponse {
    let headers = accept.map { [(name: "Accept", value: $0)] } ?? []
    return try await HTTPClient().send(
      HTTPClientRequest("GET", "http://127.0.0.1:\(server.port ?? 0)\(path)", headers: headers))
  }

  @Test func probesTellWhatWasReported() async throws {
    let health = Health()
    let server = OpsServer(
      options: HTTPServerOptions(host: "127.0.0.1", port: 0), health: health, metrics: Metrics(version: "1"),
      logger: .silent)
    try await server.start()
    let database = health.condition("database", isRequired: true)
    let circuit = health.condition("apns", isRequired: false)
    #expect(try await get(server, "/readyz").status == 503)
    database.well()
    circuit.unwell("open")
    #expect(try await get(server, "/readyz").status == 200)
    let verbose = try await get(server, "/readyz?verbose")
    #expect(String(decoding: verbose.body, as: UTF8.self).hasPrefix("[+] database (0."))
    #expect(String(decoding: verbose.body, as: UTF8.self).contains("[!] apns: open (0."))
    database.unwell("connection refused")
    let failing = try await get(server, "/readyz")
    #expect(failing.status == 503)
    #expect(String(decoding: failing.body, as: UTF8.self).contains("[-] database: connection refused"))
    #expect(try await get(server, "/livez").status == 200, "no dependency is life")
    database.well()
    health.beginDraining()
    #expect(try await get(server, "/readyz").status == 503)
    await server.drain()
  }

  @Test func aLoopThatStandsStillIsDead() async throws {
    let health = Health()
    _ = health.heartbeat("dispatcher", ageSecondsMax: -1)
    let turning = health.heartbeat("consumer", ageSecondsMax: 1000)
    turning.beat()
    let report = health.liveness(verbose: false)
    #expect(!report.passes)
    #expect(report.text.hasPrefix("[-] dispatcher: has not turned"))
    #expect(!report.text.contains("consumer"))
  }

  @Test func metricsComeInBothFormats() async throws {
    let server = OpsServer(
      options: HTTPServerOptions(host: "127.0.0.1", port: 0), health: Health(), metrics: Metrics(version: "1"),
      logger: .silent)
    try await server.start()
    let plain = try await get(server, "/metrics")
    #expect(plain.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
    let open = try await get(server, "/metrics", accept: "application/openmetrics-text; version=1.0.0")
    #expect(open.header("content-type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
    #expect(String(decoding: open.body, as: UTF8.self).hasSuffix("# EOF\n"))
    #expect(try await get(server, "/").status == 404)
    await server.drain()
  }
}
