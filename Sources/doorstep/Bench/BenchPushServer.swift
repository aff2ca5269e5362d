import HTTP2
import Runtime

/// The server of the benchmark: takes every push and answers 200.
final class BenchPushServer: HTTP2ServerDelegate, @unchecked Sendable {
  private let options: BenchPushOptions

  init(options: BenchPushOptions) { self.options = options }

  /// Serves until the process is ended.
  func run() async throws {
    let server = try listen(on: EventLoop(name: "bench-server"))
    try BenchFiles.write(String(server.address.port), to: "\(options.folder)/port")
    while true {
      await TimedSignal().wait(seconds: 3600)
      // The listener knows its delegate only weakly.
      withExtendedLifetime((self, server)) {}
    }
  }

  func listen(on loop: EventLoop) throws -> HTTP2Server {
    let tls = try TLSContext.server(
      certificates: Array(BenchFiles.read("\(options.folder)/server.pem").utf8),
      key: Array(BenchFiles.read("\(options.folder)/server.key").utf8))
    var settings = HTTP2ServerSettings(tls: tls)
    settings.maxConcurrentStreams = UInt32(options.streams)
    guard let address = SocketAddress("127.0.0.1", port: 0) else { throw BenchError("no loopback address") }
    let server = try HTTP2Server(loop: loop, address: address, settings: settings)
    server.delegate = self
    loop.execute { try? server.start() }
    return server
  }

  func connection(_ connection: HTTP2ServerConnection, received request: HTTP2ServerRequest) {
    connection.respond(request.streamID, status: 200)
  }
}
