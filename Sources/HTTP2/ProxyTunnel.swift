import Glibc

/// A tunnel through an HTTP proxy (CONNECT, RFC 9110 9.3.6) to the real peer.
final class ProxyTunnel {
  enum Step: Equatable {
    case waiting
    case open
    case refused(String)
  }

  private static let replyBytesMax = 8192

  /// What is written to the proxy.
  let request: [UInt8]
  private var reply: [UInt8] = []

  /// - Parameter authorization: the value of `proxy-authorization`, e.g. `Basic ...`; nil for none.
  init(host: String, port: UInt16, authorization: String?) {
    let target = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
    if let authorization { text += "Proxy-Authorization: \(authorization)\r\n" }
    request = Array((text + "\r\n").utf8)
  }

  func read(from descriptor: Int32) -> Step {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0 { return errno == EAGAIN ? .waiting : .refused("reading its answer failed") }
    if count == 0 { return .refused("it closed the connection") }
    return take(buffer[..<count])
  }

  /// Takes bytes of the proxy's answer. The peer says nothing before our first TLS bytes, so nothing may follow it.
  func take(_ bytes: ArraySlice<UInt8>) -> Step {
    reply += bytes
    guard reply.suffix(4).elementsEqual("\r\n\r\n".utf8) else {
      return reply.count > Self.replyBytesMax ? .refused("its answer has no end") : .waiting
    }
    let line = String(decoding: reply.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3 else {
      return .refused("its answer is not HTTP/1")
    }
    return words[1].hasPrefix("2") ? .open : .refused("it answered \(line.prefix(100))")
  }
}
