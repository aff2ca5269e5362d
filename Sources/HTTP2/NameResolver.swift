import CSystem
import Glibc
import Runtime

/// Turns a host name into addresses. Asked anew for each connection; nothing is kept.
public protocol NameResolver: Sendable {
  /// Calls `completion` once, on any thread, with the addresses in order of preference.
  func resolve(
    host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], HTTP2Failure>) -> Void)
}

/// The system's resolver (`getaddrinfo`), each look-up on a thread of its own because it blocks.
public struct SystemResolver: NameResolver {
  public init() {}

  public func resolve(
    host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], HTTP2Failure>) -> Void
  ) {
    SystemThread(name: "resolver") { completion(Self.lookUp(host: host, port: port)) }.detach()
  }

  private static func lookUp(host: String, port: UInt16) -> Result<[SocketAddress], HTTP2Failure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &found)
    guard code == 0 else { return .failure(.resolve(host: host, reason: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(found) }
    let addresses = sequence(first: found, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
      .compactMap { $0.flatMap { SocketAddress($0.pointee) } }
    return addresses.isEmpty ? .failure(.resolve(host: host, reason: "no address")) : .success(addresses)
  }
}
