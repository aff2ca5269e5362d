import Glibc
import Runtime
import Testing

@testable import HTTP2

/// A CONNECT proxy for one connection, on blocking threads; it answers with the given text and then relays.
private final class ConnectProxy: Sendable {
  let port: UInt16
  let request = Lock("")
  private let descriptor: Int32
  private let thread: SystemThread

  init(reply: String, target: SocketAddress) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let wanted = try #require(SocketAddress("127.0.0.1", port: 0))
    _ = wanted.withSocketAddress { bind(descriptor, $0, $1) }
    #expect(listen(descriptor, 1) == 0)
    self.descriptor = descriptor
    port = SocketAddress.ofSocket(descriptor)?.port ?? 0
    thread = SystemThread(name: "test-connect") { [request] in
      let client = accept(descriptor, nil, nil)
      guard client >= 0 else { return }
      let text = Self.readRequest(client)
      request.withLock { $0 = text }
      _ = write(client, Array(reply.utf8), reply.utf8.count)
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      if target.withSocketAddress({ connect(server, $0, $1) }) == 0, reply.contains(" 200 ") {
        let back = SystemThread(name: "test-connect") { Self.relay(from: server, to: client) }
        Self.relay(from: client, to: server)
        back.join()
      }
      close(server)
      close(client)
    }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    thread.join()
    close(descriptor)
  }

  private static func readRequest(_ client: Int32) -> String {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while !text.suffix(4).elementsEqual("\r\n\r\n".utf8), read(client, &byte, 1) == 1 { text.append(byte) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func relay(from source: Int32, to sink: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0, write(sink, buffer, count) == count else { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(sink, Int32(SHUT_RDWR))
  }
}

@Suite struct ProxyTunnelTests {
  @Test func requestsGoThroughTheTunnel() async throws {
    let peer = try TestPeer().start()
    let proxy = try ConnectProxy(reply: "HTTP/1.1 200 Connection established\r\n\r\n", target: peer.server.address)
    let client = try TestClient(port: 443) {
      $0.proxy = HTTP2ConnectionSettings.Proxy(host: "127.0.0.1", port: proxy.port, authorization: "Basic eDp5")
    }
    #expect(await client.ready())
    client.submit(0..<10)
    #expect(await client.outcomes(10).values.allSatisfy { $0 == .answered(HTTP2Response(status: 200)) })
    #expect(
      proxy.request.withLock { $0 }
        == "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\nProxy-Authorization: Basic eDp5\r\n\r\n")
    client.stop()
    peer.stop()
    proxy.stop()
  }

  @Test func aRefusalIsSaid() async throws {
    let peer = try TestPeer().start()
    let line = "HTTP/1.1 407 Proxy Authentication Required"
    let proxy = try ConnectProxy(reply: line + "\r\n\r\n", target: peer.server.address)
    let client = try TestClient(port: peer.port) {
      $0.proxy = HTTP2ConnectionSettings.Proxy(host: "127.0.0.1", port: proxy.port)
    }
    #expect(await client.open().closed() == .proxy(reason: "it answered \(line)"))
    client.stop()
    peer.stop()
    proxy.stop()
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n\r\n", ProxyTunnel.Step.open), ("HTTP/1.0 204 x\r\nA: b\r\n\r\n", .open),
    ("HTTP/1.1 20", .waiting), ("", .waiting), ("SSH-2.0-x\r\n\r\n", .refused("its answer is not HTTP/1")),
    ("HTTP/1.1\r\n\r\n", .refused("its answer is not HTTP/1")),
    (String(repeating: "x", count: 9000), .refused("its answer has no end")),
  ]) func repliesAreRead(reply: String, step: ProxyTunnel.Step) {
    let tunnel = ProxyTunnel(host: "example.org", port: 443, authorization: nil)
    #expect(tunnel.take(Array(reply.utf8)[...]) == step)
  }

  @Test func anAddressOfVersion6IsBracketed() {
    let tunnel = ProxyTunnel(host: "::1", port: 443, authorization: nil)
    #expect(String(decoding: tunnel.request, as: UTF8.self) == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n")
  }
}
