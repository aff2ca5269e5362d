import Certificates
import Glibc
import HTTPClient
import HTTPServer
import Testing

@Suite struct TLSTests {
  @Test func theServerSpeaksTLSWithItsCertificate() async throws {
    let authority = try CertificateAuthority(name: "HTTP test")
    let identity = try authority.issueServerCertificate(dnsNames: ["localhost"], addresses: ["127.0.0.1"])
    let options = loopback {
      $0.tls = TLSCertificate(chain: identity.certificatePEM, privateKey: identity.privateKeyPEM)
    }
    try await withServer(.direct { _ in HTTPResponse(status: 204) }, options: options) { server, _ in
      var trusting = HTTPClient.Options()
      trusting.caFile = try Self.file(holding: authority.pem())
      defer { trusting.caFile.map { _ = unlink($0) } }
      let url = "https://localhost:\(server.port)/"
      #expect(try await HTTPClient(options: trusting).send(HTTPClientRequest("GET", url)).status == 204)
      await #expect(throws: HTTPClientError.self) { try await HTTPClient().send(HTTPClientRequest("GET", url)) }
    }
  }

  @Test func aWrongCertificateIsSaid() {
    let options = loopback { $0.tls = TLSCertificate(chain: "none", privateKey: "none") }
    #expect(throws: HTTPServerError.self) {
      try HTTPServer(options: options, handler: .direct { _ in HTTPResponse(status: 204) })
    }
  }

  private static func file(holding text: String) throws -> String {
    var path = Array("/tmp/doorstep-ca-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    _ = text.withCString { write(descriptor, $0, strlen($0)) }
    close(descriptor)
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
