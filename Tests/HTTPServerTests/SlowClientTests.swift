import Glibc
import HTTPClient
import HTTPServer
import Runtime
import Testing

/// A bare socket of a client that behaves badly.
private final class RawClient {
  let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw SystemError.last("connect 127.0.0.1:\(port)") }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
  }

  /// Waits for the server to close; false when it did not within 20 s.
  func isClosedByServer() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
  }
}

@Suite struct SlowClientTests {
  private let hello = HTTPHandler.direct { _ in HTTPResponse(status: 200) }

  @Test func aRequestThatNeverEndsIsCut() async throws {
    let options = loopback { $0.requestReadSecondsMax = 0.2 }
    try await withServer(hello, options: options) { server, _ in
      for beginning in ["GET / HTTP/1.1\r\nHost: a\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"] {
        let client = try RawClient(port: server.port)
        client.send(beginning)
        #expect(client.isClosedByServer())
      }
    }
  }

  @Test func aThousandSlowClientsDoNotHoldUpTheOthers() async throws {
    try await withServer(hello) { server, base in
      var slow: [RawClient] = []
      for _ in 0..<1_000 {
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
        slow.append(client)
      }
      let client = HTTPClient()
      for _ in 0..<100 {
        let answer = try await client.send(HTTPClientRequest("GET", base))
        #expect(answer.status == 200)
      }
      #expect(slow.count == 1_000)
    }
  }
}
