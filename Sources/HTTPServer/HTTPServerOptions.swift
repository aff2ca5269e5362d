/// Where a server listens and what it bears.
public struct HTTPServerOptions: Sendable {
  /// A numeric address or a name of this machine.
  public var host: String
  /// 0 takes any free port.
  public var port: UInt16
  public var threads = 2
  /// A larger body is answered with 413.
  public var bodyBytesMax = 64 * 1024
  /// Request line and headers together; more is answered with 431 or 414 by the library.
  public var headerBytesMax = 24 * 1024
  /// Further connections wait in the system's queue.
  public var connectionsMax = 4096
  /// A connection on which so long nothing moved is closed.
  public var idleTimeoutSeconds = 20
  /// A request that is still not read to its end is cut off: a client that sends a byte now and then.
  public var requestReadSecondsMax = 30.0
  /// Requests being answered; further ones get 503 at once.
  public var inFlightMax = 2048
  public var tls: TLSCertificate?

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

/// A certificate chain and its key, as PEM texts.
public struct TLSCertificate: Sendable {
  public var chain: String
  public var privateKey: String

  public init(chain: String, privateKey: String) {
    self.chain = chain
    self.privateKey = privateKey
  }
}

/// A server that could not be started: what, where and what to do.
public struct HTTPServerError: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
