import Domain

/// Which apps this process pushes for, with which keys, through which gateways.
public struct APNsConfiguration: Sendable {
  /// A signing key. Its file is read at start and again on reload.
  public struct Key: Hashable, Sendable {
    public var teamID: String
    public var keyID: String
    /// Path of the `.p8` file.
    public var file: String
    /// Where the key is valid; keys made since 2025 may be bound to one environment.
    public var environments: Set<PushEnvironment>

    public init(
      teamID: String, keyID: String, file: String, environments: Set<PushEnvironment> = [.production, .sandbox]
    ) {
      self.teamID = teamID
      self.keyID = keyID
      self.file = file
      self.environments = environments
    }
  }

  /// Bundle ids of host apps, each with the keys that may push to it: at most one for each environment.
  public var apps: [String: [Key]]
  public var productionURL = "https://api.push.apple.com"
  public var sandboxURL = "https://api.sandbox.push.apple.com"
  /// PEM file of certificate authorities to trust instead of the system's.
  public var caFile: String?
  /// `host:port` of a CONNECT proxy.
  public var proxy: String?
  /// Connections for each key and environment.
  public var connectionsMin = 2
  public var connectionsMax = 8

  public init(apps: [String: [Key]]) { self.apps = apps }

  public func url(of environment: PushEnvironment) -> String {
    switch environment {
    case .production: productionURL
    case .sandbox: sandboxURL
    }
  }
}

/// A configuration that cannot work; says which value and what was expected.
public struct APNsConfigurationError: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension APNsConfiguration {
  /// Checks everything that can be checked without reading a file or opening a connection.
  public func validate() throws(APNsConfigurationError) {
    guard !apps.isEmpty else { throw APNsConfigurationError("no app to push for: expected at least one bundle id") }
    guard (1...100).contains(connectionsMin), (connectionsMin...100).contains(connectionsMax) else {
      throw APNsConfigurationError(
        "APNs connections \(connectionsMin) to \(connectionsMax): expected 1 to 100, the maximum not below the minimum")
    }
    for environment in PushEnvironment.allCases { _ = try Endpoint(url: url(of: environment)) }
    if let proxy { _ = try Endpoint(address: proxy) }
    for (bundleID, keys) in apps {
      try Self.checkBundleID(bundleID)
      try Self.checkKeys(keys, of: bundleID)
    }
  }

  private static func checkBundleID(_ bundleID: String) throws(APNsConfigurationError) {
    let isPlain = bundleID.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        || byte == 0x2E || byte == 0x5F
    }
    guard isPlain, (1...155).contains(bundleID.utf8.count) else {
      throw APNsConfigurationError("bundle id \(bundleID): expected up to 155 letters, digits, dots and hyphens")
    }
    guard !bundleID.contains(".push-type.") else {
      throw APNsConfigurationError(
        "bundle id \(bundleID): expected the host app's own id; the suffix .push-type... is added by this service")
    }
  }

  private static func checkKeys(_ keys: [Key], of bundleID: String) throws(APNsConfigurationError) {
    guard !keys.isEmpty else { throw APNsConfigurationError("bundle id \(bundleID) has no signing key") }
    for key in keys {
      for (name, value) in [("team id", key.teamID), ("key id", key.keyID)] {
        let isPlain = value.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        guard isPlain, (1...32).contains(value.utf8.count) else {
          throw APNsConfigurationError("\(name) \(value): expected 10 letters and digits, as Apple shows it")
        }
      }
    }
    for environment in PushEnvironment.allCases {
      guard keys.count(where: { $0.environments.contains(environment) }) <= 1 else {
        throw APNsConfigurationError("bundle id \(bundleID) has two keys for \(environment.rawValue): expected one")
      }
    }
  }
}

/// Where a gateway listens.
struct Endpoint: Hashable, Sendable {
  var host: String
  var port: UInt16

  /// The value of `:authority`.
  var authority: String { port == 443 ? host : "\(host):\(port)" }

  /// Reads `https://host` or `https://host:port`, with nothing behind it but one `/`.
  init(url: String) throws(APNsConfigurationError) {
    guard url.hasPrefix("https://") else {
      throw APNsConfigurationError("APNs URL \(url): expected https://host or https://host:port")
    }
    let rest = url.dropFirst(8)
    try self.init(address: String(rest.hasSuffix("/") ? rest.dropLast() : rest), portDefault: 443)
  }

  /// Reads `host:port`; without `portDefault` the port must be given. IPv6 addresses stand in brackets.
  init(address: String, portDefault: UInt16? = nil) throws(APNsConfigurationError) {
    var host = Substring(address)
    var port = portDefault
    if let colon = address.lastIndex(of: ":"), !address.hasSuffix("]") {
      host = address[..<colon]
      port = UInt16(address[address.index(after: colon)...])
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard let port, port > 0, !host.isEmpty, !host.contains(where: { "/?#@ ".contains($0) }) else {
      throw APNsConfigurationError("address \(address): expected a host and a port from 1 to 65535")
    }
    self.host = String(host)
    self.port = port
  }
}
