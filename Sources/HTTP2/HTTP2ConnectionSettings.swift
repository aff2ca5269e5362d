/// Where a client connection goes and the limits it keeps.
public struct HTTP2ConnectionSettings: Sendable {
  public struct Proxy: Sendable {
    public var host: String
    public var port: UInt16
    /// Value of `proxy-authorization`; nil for none.
    public var authorization: String?

    public init(host: String, port: UInt16, authorization: String? = nil) {
      self.host = host
      self.port = port
      self.authorization = authorization
    }
  }

  public var host: String
  public var port: UInt16
  public var tls: TLSContext
  public var proxy: Proxy?
  public var resolver: any NameResolver = SystemResolver()
  /// From the start of resolution to the peer's first SETTINGS.
  public var connectTimeoutSeconds = 10.0
  /// With requests open, so long a silence asks the peer by PING whether it lives.
  public var suspicionSeconds = 2.0
  /// After so long a silence the next request takes a PING along at once.
  public var restSeconds = 60.0
  /// Without requests, so long a silence asks by PING too.
  public var idlePingSeconds = 300.0
  public var pingTimeoutSeconds = 5.0
  /// Requests open at once at most, whatever the peer allows.
  public var openRequestsMax = 1000
  /// Names of the response fields to keep, lower case.
  public var responseFields: [StaticString] = []
  public var responseBytesMax = 8192
  /// Flow-control windows that this side announces.
  public var connectionWindowBytes: Int32 = 16 << 20
  public var streamWindowBytes: Int32 = 1 << 20

  public init(host: String, port: UInt16, tls: TLSContext, proxy: Proxy? = nil) {
    self.host = host
    self.port = port
    self.tls = tls
    self.proxy = proxy
  }
}
