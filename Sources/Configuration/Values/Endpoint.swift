/// An `https` address of a server, without path.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  public var address: Address

  public init(address: Address) { self.address = address }

  /// Reads `https://host` or `https://host:port` with an optional closing slash; nil on anything else.
  public init?(_ text: String) {
    let scheme = "https://"
    guard text.hasPrefix(scheme) else { return nil }
    var rest = text.dropFirst(scheme.count)
    if rest.hasSuffix("/") { rest.removeLast() }
    let hasPort = rest.hasPrefix("[") ? !rest.hasSuffix("]") : rest.contains(":")
    guard let address = Address(hasPort ? String(rest) : rest + ":443"), address.port > 0 else { return nil }
    self.init(address: address)
  }

  public var description: String {
    address.port == 443 ? "https://\(String(address.description.dropLast(4)))" : "https://\(address)"
  }
}
