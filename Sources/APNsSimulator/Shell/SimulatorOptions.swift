/// What `doorstep apns-simulator` was asked to do.
struct SimulatorOptions {
  struct WrongUse: Error, CustomStringConvertible {
    var description: String
  }

  var port: UInt16 = 0
  var sandboxPort: UInt16 = 0
  var controlPort: UInt16 = 0
  var out = "."
  var api: String?
  var apiKeyFile: String?
  var clock = ScaledClock()
  var logs: String?
  var phones: String?
  var bundles: [String] = ["com.example.delivery"]
  var seed: UInt64 = 1
  var isLenient = false
  var hasLink = false
  var managementPort: UInt16 = 0
  var sandboxManagementPort: UInt16 = 0
  var certificate = CertificateKind.good
  var answersWireReason = false

  /// What the hosts present.
  enum CertificateKind: String, CaseIterable { case good, otherName, otherAuthority }
  var showsHelp = false

  init(_ arguments: [String]) throws(WrongUse) {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      switch flag {
      case "--help", "-h": showsHelp = true
      case "--lenient": isLenient = true
      case "--link": hasLink = true
      case "--wire-reasons": answersWireReason = true
      default:
        guard let value = rest.popFirst() else { throw WrongUse(description: "\(flag) needs a value, or is unknown") }
        try set(flag, value)
      }
    }
  }

  private mutating func set(_ flag: String, _ value: String) throws(WrongUse) {
    switch flag {
    case "--port": port = try number(flag, value)
    case "--sandbox-port": sandboxPort = try number(flag, value)
    case "--management-port": managementPort = try number(flag, value)
    case "--sandbox-management-port": sandboxManagementPort = try number(flag, value)
    case "--control-port": controlPort = try number(flag, value)
    case "--seed": seed = try number(flag, value)
    case "--out": out = value
    case "--api": api = value
    case "--api-key-file": apiKeyFile = value
    case "--logs": logs = value
    case "--phones": phones = value
    case "--bundles": bundles = value.split(separator: ",").map(String.init)
    case "--clock":
      guard let clock = ScaledClock(value) else {
        throw WrongUse(description: "--clock \(value): expected ORIGIN,FACTOR, for example 1767225600,60")
      }
      self.clock = clock
    case "--certificate":
      guard let kind = CertificateKind(rawValue: value) else {
        throw WrongUse(description: "--certificate \(value): expected good, otherName or otherAuthority")
      }
      certificate = kind
    default: throw WrongUse(description: "unknown option \(flag); see doorstep apns-simulator --help")
    }
  }

  private func number<Number: FixedWidthInteger>(_ flag: String, _ text: String) throws(WrongUse) -> Number {
    guard let value = Number(text) else {
      throw WrongUse(description: "\(flag) \(text): expected a whole number up to \(Number.max)")
    }
    return value
  }
}
