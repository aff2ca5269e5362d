import Glibc
import Testing

@testable import Playground

@Suite struct EmbeddedPostgresTests {
  @Test func answersOnItsPortAndLeavesNothing() throws {
    let cluster = try EmbeddedPostgres(maxConnections: 20)
    #expect(Self.connects(to: cluster.port))
    #expect(access(cluster.folder, F_OK) == 0)
    cluster.stop()
    cluster.stop()
    #expect(!Self.connects(to: cluster.port))
    #expect(access(cluster.folder, F_OK) != 0)
  }

  private static func connects(to port: UInt16) -> Bool {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
