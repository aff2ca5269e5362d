import Crypto
import Service

/// The `curl` command that sends what a push would send.
public enum CurlCommand {
  /// A shell command of one line. It holds a fresh provider token: treat it as a secret for an hour.
  ///
  /// - Throws: `APNsConfigurationError`, or `CryptoError` that names the key file.
  public static func text(_ push: Push, _ configuration: APNsConfiguration, nowSeconds: Int64) throws -> String {
    try configuration.validate()
    let keys = configuration.apps[push.lane.bundleID] ?? []
    guard let key = keys.first(where: { $0.environments.contains(push.lane.environment) }) else {
      throw APNsConfigurationError("no key for \(push.lane.bundleID) in \(push.lane.environment.rawValue)")
    }
    let provider = try ProviderKey(
      teamID: key.teamID, keyID: key.keyID, signingKey: SigningKey(file: key.file))
    var requests = PushRequests(bundleID: push.lane.bundleID)
    requests.setProviderToken(try provider.mint(nowSeconds: nowSeconds))
    let endpoint = try Endpoint(url: configuration.url(of: push.lane.environment))
    return text(requests.fields(push), push, to: endpoint, caFile: configuration.caFile, proxy: configuration.proxy)
  }

  private static func text(
    _ fields: [(name: String, value: String)], _ push: Push, to endpoint: Endpoint, caFile: String?, proxy: String?
  ) -> String {
    var token: [UInt8] = []
    push.token.appendHexadecimal(to: &token)
    let url = "https://\(endpoint.authority)/3/device/\(String(decoding: token, as: UTF8.self))"
    var words = ["curl", "--http2", "--include"]
    if let caFile { words += ["--cacert", quoted(caFile)] }
    if let proxy { words += ["--proxy", quoted("http://\(proxy)")] }
    // curl would name a form: APNs wants no such field.
    words += ["--header", quoted("content-type:")]
    for field in fields { words += ["--header", quoted("\(field.name): \(field.value)")] }
    words += ["--data-binary", quoted(String(decoding: push.body, as: UTF8.self)), quoted(url)]
    return words.joined(separator: " ")
  }

  /// In single quotes, as a POSIX shell reads it back unchanged.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
