import CSystem
import Glibc
import Runtime

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Sendable, CustomStringConvertible {
  private var storage = sockaddr_storage()
  private var length: socklen_t = 0

  /// Parses a numeric address; nil when it is none.
  public init?(_ address: String, port: UInt16) {
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    if inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      withUnsafeBytes(of: &v4) { store($0) }
    } else if inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      withUnsafeBytes(of: &v6) { store($0) }
    } else {
      return nil
    }
  }

  init?(_ information: addrinfo) {
    guard let address = information.ai_addr, Int(information.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
      return nil
    }
    store(UnsafeRawBufferPointer(start: address, count: Int(information.ai_addrlen)))
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
    length = socklen_t(bytes.count)
  }

  var family: Int32 { Int32(storage.ss_family) }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// A new non-blocking stream socket for addresses of this family; -1 with `errno`.
  static func openSocket(_ family: Int32) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return socket(family, Int32(bitPattern: kind), 0)
  }

  /// Small writes leave at once instead of waiting for more (TCP_NODELAY).
  static func sendAtOnce(_ descriptor: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The address a bound socket has.
  static func ofSocket(_ descriptor: Int32) -> SocketAddress? {
    var result = SocketAddress()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &result.storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    result.length = length
    return code == 0 ? result : nil
  }

  private init() {}

  public var port: UInt16 {
    withUnsafeBytes(of: storage) { bytes in
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }

  public var description: String {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = withSocketAddress {
      getnameinfo($0, $1, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
    }
    guard code == 0 else { return "address of family \(family)" }
    let text = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return family == AF_INET6 ? "[\(text)]:\(port)" : "\(text):\(port)"
  }
}
