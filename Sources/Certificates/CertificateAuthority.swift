import COpenSSL

/// A throw-away certificate authority, made at run time for tests, simulators and demos; never for production.
public final class CertificateAuthority: Sendable {
  private let certificate: Certificate
  private let key: PrivateKey

  /// - Parameter name: common name of the self-signed root.
  public init(name: String = "Doorstep throw-away CA") throws(CertificateError) {
    key = try PrivateKey.generate()
    certificate = try Certificate(
      subject: name, issuer: name, key: key, signedBy: key, extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
  }

  /// The root certificate: what a client takes as its trust anchor.
  public func pem() throws(CertificateError) -> String { try certificate.pem() }

  /// A certificate and key for a server that is reached under these names.
  public func issueServerCertificate(
    dnsNames: [String] = ["localhost"], addresses: [String] = ["127.0.0.1"]
  ) throws(CertificateError) -> ServerIdentity {
    let serverKey = try PrivateKey.generate()
    let names = (dnsNames.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
    let leaf = try Certificate(
      subject: dnsNames.first ?? addresses.first ?? "server", issuer: certificate.commonName, key: serverKey,
      signedBy: key,
      extensions: [(NID_subject_alt_name, names), (NID_ext_key_usage, "serverAuth")])
    return ServerIdentity(certificatePEM: try leaf.pem(), privateKeyPEM: try serverKey.pem())
  }
}

/// What a TLS server presents: certificate and PKCS#8 private key, both PEM.
public struct ServerIdentity: Sendable {
  public let certificatePEM: String
  public let privateKeyPEM: String
}

/// A certificate could not be made; says which step OpenSSL refused.
public struct CertificateError: Error, CustomStringConvertible {
  public let description: String

  init(_ step: String) {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
    description = "\(step) failed in OpenSSL: \(reason)"
  }
}
