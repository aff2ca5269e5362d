import COpenSSL
import Glibc
import Runtime

/// TLS over one non-blocking socket; owns both.
final class TLSStream {
  /// What came of a call that cannot wait.
  enum Progress {
    case done(Int)
    case wantsRead
    case wantsWrite
    case ended
    case failed(HTTP2Failure)
  }

  let descriptor: Int32
  private let ssl: OpaquePointer
  private let host: String

  /// Takes over the descriptor, also when it throws. `host` is what the certificate must be for; a server has none.
  init(context: TLSContext, descriptor: Int32, host: String = "") throws(HTTP2Failure) {
    guard let ssl = SSL_new(context.handle) else {
      close(descriptor)
      throw .tls(reason: TLSContext.lastError("no TLS connection could be made"))
    }
    self.ssl = ssl
    self.descriptor = descriptor
    self.host = host
    SSL_set_fd(ssl, descriptor)
    if context.isServer {
      SSL_set_accept_state(ssl)
    } else {
      SSL_set_connect_state(ssl)
      expectPeer(host)
    }
  }

  deinit {
    SSL_free(ssl)
    close(descriptor)
  }

  /// Sends the name along (SNI) and has it checked against the certificate; addresses are checked but not sent.
  private func expectPeer(_ host: String) {
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 { return }
    ERR_clear_error()
    SSL_set1_host(ssl, host)
    _ = host.withCString {
      SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0))
    }
  }

  func handshake() -> Progress {
    ERR_clear_error()
    return progress(SSL_do_handshake(ssl))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
    ERR_clear_error()
    return progress(SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count)))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
    ERR_clear_error()
    return progress(SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)))
  }

  /// Says goodbye to the peer, as far as the socket takes it.
  func sayGoodbye() {
    ERR_clear_error()
    SSL_shutdown(ssl)
    ERR_clear_error()
  }

  /// Makes the closing of the socket a TCP reset.
  func resetOnClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    SSL_set_quiet_shutdown(ssl, 1)
  }

  /// What ALPN chose; nil for nothing.
  var negotiatedProtocol: String? {
    var pointer: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &pointer, &count)
    guard let pointer, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: pointer, count: Int(count)), as: UTF8.self)
  }

  private func progress(_ result: Int32) -> Progress {
    if result > 0 { return .done(Int(result)) }
    let code = errno
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    case SSL_ERROR_SYSCALL:
      return code == 0 || ERR_peek_error() != 0 ? .ended : .failed(.socket(SystemError(call: "TLS socket", code: code)))
    default: return .failed(failure())
    }
  }

  /// OpenSSL's reason code without the library's part.
  private var reasonOfLastError: UInt { ERR_peek_error() & 0x7FFFFF }

  private func failure() -> HTTP2Failure {
    let verdict = SSL_get_verify_result(ssl)
    if verdict != Int(X509_V_OK), !host.isEmpty {
      ERR_clear_error()
      let reason = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "code \(verdict)"
      return .certificate(host: host, reason: reason)
    }
    // A peer that closes without close_notify shows as this error since OpenSSL 3.
    if reasonOfLastError == UInt(SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      ERR_clear_error()
      return .closedByPeer
    }
    if reasonOfLastError == UInt(SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL) {
      ERR_clear_error()
      return .notHTTP2(selected: nil)
    }
    return .tls(reason: TLSContext.lastError("the TLS layer failed"))
  }
}
