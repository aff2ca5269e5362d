import COpenSSL
import Certificates
import Testing

@Suite struct CertificateAuthorityTests {
  private func certificate(_ pem: String) -> OpaquePointer? {
    let bytes = Array(pem.utf8)
    let bio = BIO_new_mem_buf(bytes, Int32(bytes.count))
    defer { BIO_free(bio) }
    return PEM_read_bio_X509(bio, nil, nil, nil)
  }

  private func verifies(leaf: String, root: String) -> Bool {
    let (leaf, root) = (certificate(leaf), certificate(root))
    let store = X509_STORE_new()
    let context = X509_STORE_CTX_new()
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      X509_free(leaf)
      X509_free(root)
    }
    X509_STORE_add_cert(store, root)
    X509_STORE_CTX_init(context, store, leaf, nil)
    return X509_verify_cert(context) == 1
  }

  @Test func aClientThatTrustsTheRootAcceptsTheServer() throws {
    let authority = try CertificateAuthority()
    let server = try authority.issueServerCertificate(dnsNames: ["localhost"], addresses: ["127.0.0.1"])
    #expect(verifies(leaf: server.certificatePEM, root: try authority.pem()))
    #expect(!verifies(leaf: server.certificatePEM, root: try CertificateAuthority().pem()))
    let leaf = certificate(server.certificatePEM)
    defer { X509_free(leaf) }
    #expect(X509_check_host(leaf, "localhost", 0, 0, nil) == 1)
    #expect(X509_check_host(leaf, "example.org", 0, 0, nil) == 0)
    #expect(X509_check_ip_asc(leaf, "127.0.0.1", 0) == 1)
  }
}
