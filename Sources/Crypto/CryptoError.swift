import COpenSSL

/// A cryptographic operation that could not be done. `description` never contains key material.
public struct CryptoError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// What OpenSSL says of its newest failure in this thread; clears its error queue.
  static func openSSL(_ action: String) -> CryptoError {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else {
      return CryptoError("\(action) failed in OpenSSL without a reason")
    }
    return CryptoError("\(action) failed in OpenSSL: \(String(cString: reason))")
  }
}
