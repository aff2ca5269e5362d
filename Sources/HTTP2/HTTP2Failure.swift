import Runtime

/// Why a connection could not be opened, or ended.
public enum HTTP2Failure: Error, Equatable, Sendable {
  /// The name could not be resolved.
  case resolve(host: String, reason: String)
  /// No address took the TCP connection; the error of the last one tried.
  case connect(SystemError)
  /// Not ready (TCP, TLS and the first SETTINGS) within the connect time-out.
  case connectTimeout(stage: String, seconds: Double)
  /// The CONNECT proxy did not open the tunnel.
  case proxy(reason: String)
  /// The peer's certificate is not trusted or not for this host.
  case certificate(host: String, reason: String)
  /// The TLS handshake or a TLS record failed.
  case tls(reason: String)
  /// TLS works, but the peer did not agree to HTTP/2; what it chose, nil for nothing.
  case notHTTP2(selected: String?)
  /// Either side broke the HTTP/2 protocol.
  case protocolError(reason: String)
  /// A PING was not answered in time: the peer or the way to it is dead.
  case pingTimeout(seconds: Double)
  /// The peer closed the connection.
  case closedByPeer
  /// The socket failed.
  case socket(SystemError)
  /// GOAWAY was received, or the stream ids are used up, and every open stream has ended.
  case drained
  /// Closed by this side.
  case closedLocally
}

extension HTTP2Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .resolve(let host, let reason): "cannot resolve \(host): \(reason); check the name and the DNS server"
    case .connect(let error): "cannot connect: \(error)"
    case .connectTimeout(let stage, let seconds): "not connected after \(seconds) s: the time was over during \(stage)"
    case .proxy(let reason): "the proxy did not open the tunnel: \(reason)"
    case .certificate(let host, let reason):
      "the certificate of \(host) was refused: \(reason); check the CA file and look for an intercepting proxy"
    case .tls(let reason): "TLS failed: \(reason)"
    case .notHTTP2(let selected):
      "the peer speaks \(selected ?? "no protocol named by ALPN"), expected h2; check host, port and proxies between"
    case .protocolError(let reason): "HTTP/2 protocol error: \(reason)"
    case .pingTimeout(let seconds): "PING was not answered within \(seconds) s: the connection is dead"
    case .closedByPeer: "the peer closed the connection"
    case .socket(let error): "the connection broke: \(error)"
    case .drained: "drained: every open stream has ended"
    case .closedLocally: "closed by this side"
    }
  }
}
