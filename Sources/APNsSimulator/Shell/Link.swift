import FoundationEssentials
import HTTP2
import Runtime

/// Proxies before the hosts that delay, slow down, swallow and cut, so that a round trip is one and windows are real.
/// Lives on the event loop.
final class Link {
  /// The control port's LINK.
  struct Harm: Decodable {
    /// Each way.
    var delayMilliseconds: Double?
    var bytesPerSecond: Double?
    var refuses: Bool?
    /// Open connections fall silent for good.
    var swallow: Bool?
    /// Open connections are reset.
    var cut: Bool?
  }

  private let proxies: [TCPProxy]

  init(loop: EventLoop, to ports: [UInt16]) throws(SystemError) {
    var made: [TCPProxy] = []
    for port in ports {
      guard let here = SocketAddress("127.0.0.1", port: 0), let there = SocketAddress("127.0.0.1", port: port) else {
        continue
      }
      made.append(try TCPProxy(loop: loop, address: here, target: there))
    }
    proxies = made
  }

  var ports: [UInt16] { proxies.map(\.address.port) }

  func start() { for proxy in proxies { try? proxy.start() } }

  func stop() { for proxy in proxies { proxy.stop() } }

  /// False when the body is not a LINK.
  func apply(_ body: [UInt8]) -> Bool {
    guard let harm = try? JSONDecoder().decode(Harm.self, from: Data(body)) else { return false }
    for proxy in proxies {
      if let delay = harm.delayMilliseconds { proxy.harm.delaySeconds = delay / 1000 }
      if let rate = harm.bytesPerSecond { proxy.harm.bytesPerSecond = rate > 0 ? rate : nil }
      if let refuses = harm.refuses { proxy.harm.refusesConnections = refuses }
      if harm.swallow == true { proxy.swallow() }
      if harm.cut == true { proxy.cut() }
    }
    return true
  }
}
