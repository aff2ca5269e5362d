import Glibc
import Runtime

/// A bound and listening TCP socket.
struct ListeningSocket {
  /// Connections that the kernel holds until they are accepted.
  static let backlog: Int32 = 1024

  let descriptor: Int32
  /// The port that was given or, for 0, the one that the system chose.
  let port: UInt16

  init(host: String, port: UInt16) throws(HTTPServerError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let address = list?.pointee else {
      throw HTTPServerError("cannot listen on \(host):\(port): \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    descriptor = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
    guard descriptor >= 0 else { throw Self.failure(host, port) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, Self.backlog) == 0 else {
      let failure = Self.failure(host, port)
      close(descriptor)
      throw failure
    }
    self.port = Self.boundPort(of: descriptor) ?? port
  }

  private static func failure(_ host: String, _ port: UInt16) -> HTTPServerError {
    let code = errno
    let advice = code == EADDRINUSE ? "; another program uses this port: stop it, or choose another one" : ""
    return HTTPServerError("cannot listen on \(host):\(port): \(SystemError.text(code))\(advice)")
  }

  private static func boundPort(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return nil }
        return address.pointee.sa_family == sa_family_t(AF_INET6)
          ? pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin6_port) }
          : pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
      }
    }
  }
}
