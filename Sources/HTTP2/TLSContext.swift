import COpenSSL
import Glibc
import Runtime

/// Certificates and settings of one TLS side, shared by all its connections; safe on any thread once made.
public final class TLSContext: @unchecked Sendable {
  /// Which authorities a client trusts.
  public enum Trust: Sendable {
    case system
    /// A PEM file of CA certificates, instead of the system's.
    case file(String)
    /// CA certificates as PEM bytes, instead of the system's.
    case pem([UInt8])
  }

  let handle: OpaquePointer
  let isServer: Bool
  /// Protocol names for ALPN, each behind its length; the server's choice, in order.
  let protocols: [UInt8]

  private init(server: Bool, protocols: [String]) throws(HTTP2Failure) {
    guard let handle = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()) else {
      throw .tls(reason: TLSContext.lastError("no TLS context could be made"))
    }
    self.handle = handle
    isServer = server
    self.protocols = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
    _ = SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    // A write may be taken in part, and the rest offered from another address.
    let writes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    _ = SSL_CTX_ctrl(handle, SSL_CTRL_MODE, Int(writes | SSL_MODE_RELEASE_BUFFERS), nil)
    // One read call takes all that the socket has, instead of two for each record.
    _ = SSL_CTX_ctrl(handle, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    SSL_CTX_set_default_read_buffer_len(handle, TLSContext.readBufferBytes)
  }

  static let readBufferBytes = 32 * 1024

  deinit { SSL_CTX_free(handle) }

  /// A client's side: TLS 1.2 or later, ALPN `h2`, certificate and host name checked.
  public static func client(trust: Trust = .system) throws(HTTP2Failure) -> TLSContext {
    let context = try TLSContext(server: false, protocols: ["h2"])
    SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
    _ = SSL_CTX_set_alpn_protos(context.handle, context.protocols, UInt32(context.protocols.count))
    switch trust {
    case .system:
      guard SSL_CTX_set_default_verify_paths(context.handle) == 1 else {
        throw .tls(reason: lastError("the system's CA store cannot be read"))
      }
    case .file(let path):
      guard SSL_CTX_load_verify_locations(context.handle, path, nil) == 1 else {
        throw .tls(reason: lastError("the CA file \(path) cannot be read; expected PEM certificates"))
      }
    case .pem(let bytes):
      guard let store = SSL_CTX_get_cert_store(context.handle) else { break }
      for certificate in try certificates(bytes) {
        X509_STORE_add_cert(store, certificate)
        X509_free(certificate)
      }
    }
    return context
  }

  /// A server's side.
  ///
  /// - Parameters:
  ///   - certificates: PEM bytes, the server's certificate first, then its chain.
  ///   - key: the private key as PEM bytes.
  ///   - protocols: what ALPN may choose; empty to leave ALPN unanswered.
  public static func server(
    certificates chain: [UInt8], key: [UInt8], protocols: [String] = ["h2"]
  ) throws(HTTP2Failure) -> TLSContext {
    let context = try TLSContext(server: true, protocols: protocols)
    for (index, certificate) in try certificates(chain).enumerated() {
      defer { X509_free(certificate) }
      let code =
        index == 0
        ? Int(SSL_CTX_use_certificate(context.handle, certificate))
        : SSL_CTX_ctrl(context.handle, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate))
      guard code == 1 else { throw .tls(reason: lastError("a certificate of the server cannot be used")) }
    }
    guard let privateKey = withPEM(key, { PEM_read_bio_PrivateKey($0, nil, nil, nil) }) else {
      throw .tls(reason: lastError("the server's private key cannot be read; expected PEM"))
    }
    defer { EVP_PKEY_free(privateKey) }
    guard SSL_CTX_use_PrivateKey(context.handle, privateKey) == 1 else {
      throw .tls(reason: lastError("the private key does not belong to the certificate"))
    }
    context.chooseProtocol()
    return context
  }

  /// Answers ALPN from `protocols`; a client that offers none of them is turned away.
  private func chooseProtocol() {
    guard !protocols.isEmpty else { return }
    SSL_CTX_set_alpn_select_cb(
      handle,
      { _, chosen, chosenCount, offered, offeredCount, argument in
        guard let argument, let chosen, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
        var pointer: UnsafeMutablePointer<UInt8>?
        let code = SSL_select_next_proto(
          &pointer, chosenCount, context.protocols, UInt32(context.protocols.count), offered, offeredCount)
        guard code == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        chosen.pointee = UnsafePointer(pointer)
        return SSL_TLSEXT_ERR_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func certificates(_ pem: [UInt8]) throws(HTTP2Failure) -> [OpaquePointer] {
    let found = withPEM(pem) { bio -> [OpaquePointer] in
      var found: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) { found.append(certificate) }
      return found
    }
    ERR_clear_error()
    guard let found, !found.isEmpty else { throw .tls(reason: "no PEM certificate found among the given bytes") }
    return found
  }

  private static func withPEM<Result>(_ pem: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
    guard let bio = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { return nil }
    defer { BIO_free(bio) }
    return body(bio)
  }

  /// What happened, with OpenSSL's own reason; empties this thread's error queue.
  static func lastError(_ happening: String) -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else { return happening }
    return "\(happening): \(String(cString: reason))"
  }
}
