import Glibc
import Runtime

/// Where the simulator can be reached and the secrets it made: written to files for other processes.
struct SimulatorPlace {
  var keyID = "SIMKEY0001"
  var teamID = ""
  var bundles: [String] = []
  /// Production, sandbox, and the same two for channel management.
  var ports: [UInt16] = []
  var controlPort: UInt16 = 0
  var authorityPEM: [UInt8] = []
  var keyPEM: [UInt8] = []

  /// `simulator.json` comes last: whoever sees it may read the others.
  func write(to folder: String) throws(SystemError) {
    if mkdir(folder, 0o755) != 0 && errno != EEXIST { throw SystemError.last("create the folder \(folder)") }
    let root = try Self.absolute(folder)
    let (caFile, keyFile) = ("\(root)/ca.pem", "\(root)/AuthKey_\(keyID).p8")
    try LineFile.replace(caFile, with: authorityPEM)
    try LineFile.replace(keyFile, with: keyPEM)
    chmod(keyFile, 0o600)
    var json = JSONText()
    json.add("productionURL", "https://127.0.0.1:\(ports.first ?? 0)")
    for (name, at) in [
      ("sandboxURL", 1), ("managementURL", 2), ("sandboxManagementURL", 3),
    ] as [(StaticString, Int)] where at < ports.count {
      json.add(name, "https://127.0.0.1:\(ports[at])")
    }
    json.add("controlURL", "http://127.0.0.1:\(controlPort)")
    json.add("teamId", teamID)
    json.add("keyId", keyID)
    json.add("keyFile", keyFile)
    json.add("caFile", caFile)
    var list: [UInt8] = [UInt8(ascii: "[")]
    for bundle in bundles {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      JSONText.append(bundle, to: &list)
    }
    json.add("bundleIds", json: list + [UInt8(ascii: "]")])
    json.add("pid", Int64(getpid()))
    try LineFile.replace("\(root)/simulator.json", with: json.closed())
  }

  private static func absolute(_ folder: String) throws(SystemError) -> String {
    guard let path = realpath(folder, nil) else { throw SystemError.last("find \(folder)") }
    defer { free(path) }
    return String(cString: path)
  }
}
