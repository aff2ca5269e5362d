import Certificates
import HTTP2
import Runtime
import Testing

@Suite struct TLSTests {
  private func failure(
    of peer: TestPeer, host: String = "localhost", tls: TLSContext? = nil
  ) async throws -> HTTP2Failure? {
    let client = try TestClient(port: peer.start().port, host: host) {
      if let tls { $0.tls = tls }
      $0.resolver = FixedResolver(address: peer.server.address)
    }
    let failure = await client.open().closed()
    client.stop()
    peer.stop()
    return failure
  }

  @Test(arguments: [["http/1.1"], []]) func aPeerWithoutHTTP2IsNamed(protocols: [String]) async throws {
    let tls = try TestIdentity.serverTLS(protocols: protocols)
    let peer = try TestPeer { $0.tls = tls }
    #expect(try await failure(of: peer) == .notHTTP2(selected: nil))
  }

  @Test func anUnknownAuthorityIsNamed() async throws {
    let stranger = try CertificateAuthority(name: "stranger")
    let tls = try TLSContext.client(trust: .pem(Array(try stranger.pem().utf8)))
    guard case .certificate(host: "localhost", let reason) = try await failure(of: try TestPeer(), tls: tls) else {
      Issue.record("the certificate must be refused")
      return
    }
    #expect(reason.contains("local issuer") || reason.contains("signature"))
  }

  @Test func theSystemStoreDoesNotKnowAThrowAwayAuthority() async throws {
    guard case .certificate = try await failure(of: try TestPeer(), tls: try TLSContext.client()) else {
      Issue.record("the certificate must be refused")
      return
    }
  }

  @Test(arguments: ["other.example", "127.0.0.2"]) func anotherHostsCertificateIsNamed(host: String) async throws {
    guard case .certificate(host, let reason) = try await failure(of: try TestPeer(), host: host) else {
      Issue.record("the certificate must be refused")
      return
    }
    #expect(reason.contains("mismatch"))
  }

  @Test func anAddressIsCheckedAgainstTheCertificate() async throws {
    let peer = try TestPeer().start()
    let client = try TestClient(port: peer.port, host: "127.0.0.1")
    #expect(await client.ready())
    client.stop()
    peer.stop()
  }

  @Test func filesThatAreNoCertificatesAreNamed() throws {
    #expect(throws: HTTP2Failure.self) { try TLSContext.client(trust: .file("/nonexistent.pem")) }
    #expect(throws: HTTP2Failure.self) { try TLSContext.client(trust: .pem(Array("garbage".utf8))) }
    #expect(throws: HTTP2Failure.self) { try TLSContext.server(certificates: [], key: []) }
    let identity = try TestIdentity.server.get()
    let other = try TestIdentity.authority.get().issueServerCertificate()
    #expect(throws: HTTP2Failure.self) {
      try TLSContext.server(certificates: Array(identity.certificatePEM.utf8), key: Array(other.privateKeyPEM.utf8))
    }
  }
}

/// Every name has this address.
struct FixedResolver: NameResolver {
  let address: SocketAddress

  func resolve(
    host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], HTTP2Failure>) -> Void
  ) {
    completion(.success([address]))
  }
}
