import Codecs
import Domain

extension InstallationReport {
  /// Reads the body of `PUT /v1/installations/{id}` (docs/api.md). A switch that is null goes back to its default.
  public init(id: InstallationID, body: [UInt8]) throws(BodyRefused) {
    self = try BodyReader.read(body) { reader throws(BodyRefused) in try InstallationReport(id: id, reader) }
  }

  private init(id: InstallationID, _ body: BodyReader) throws(BodyRefused) {
    self.init(id: id, revision: try body.revision())
    user = body.change("userId", try body.identifier("userId").map { UserID($0) })
    try readApp(body)
    try readDevice(body)
    try readPermissions(body)
    deviceToken = body.change("deviceToken", try body.token("deviceToken"))
    for (type, value) in try body.members("pushToStartTokens", max: RegistrationLimits.startTokenTypesMax) {
      startTokens.updateValue(try Self.startToken(value, type: type), forKey: type)
    }
  }

  private mutating func readApp(_ body: BodyReader) throws(BodyRefused) {
    bundleID = try body.text("bundleId")
    environment = try body.word("environment")
    if body.isNull("bundleId") { throw body.invalid("bundleId", "the app's bundle id; it cannot be cleared") }
    if body.isNull("environment") { throw body.invalid("environment", "production or sandbox; it cannot be cleared") }
    appVersion = body.change("appVersion", try body.text("appVersion"))
  }

  private mutating func readDevice(_ body: BodyReader) throws(BodyRefused) {
    let version = try body.text("osVersion")
    if let version, OSVersion(version) == nil { throw body.invalid("osVersion", "such as 18.1 or 18.1.2") }
    osVersion = body.change("osVersion", version.flatMap { OSVersion($0) })
    locale = body.change("locale", try body.text("locale"))
    timeZone = body.change("timeZone", try body.text("timeZone"))
    uses24HourClock = try body.switchValue("uses24HourClock", default: false)
    deviceID = body.change("deviceId", try body.identifier("deviceId"))
  }

  private mutating func readPermissions(_ body: BodyReader) throws(BodyRefused) {
    activitiesEnabled = try body.switchValue("activitiesEnabled", default: true)
    frequentPushesEnabled = try body.switchValue("frequentPushesEnabled", default: false)
    if body.isNull("notifications") { notifications = .notDetermined }
    guard let permissions = try body.reader("notifications") else { return }
    notifications =
      try permissions.word("authorization") ?? (permissions.isNull("authorization") ? .notDetermined : nil)
    timeSensitiveAllowed = try permissions.switchValue("timeSensitive", default: false)
    soundAllowed = try permissions.switchValue("sound", default: false)
  }

  private static func startToken(_ node: JSONNode, type: String) throws(BodyRefused) -> PushToken? {
    let pointer = "/pushToStartTokens/\(type.prefix(RegistrationLimits.wordBytesMax))"
    guard type.utf8.count <= RegistrationLimits.wordBytesMax, RegistrationLimits.isIdentifier(type) else {
      throw .invalid(pointer: pointer, expected: "the name of an attributes type")
    }
    if node.isNull { return nil }
    guard let token = node.string.flatMap(PushToken.init(hexadecimal:)) else {
      throw .invalid(pointer: pointer, expected: RegistrationLimits.tokenExpectation)
    }
    return token
  }
}

extension BodyReader {
  fileprivate func switchValue(_ key: StaticString, default value: Bool) throws(BodyRefused) -> Bool? {
    isNull(key) ? value : try bool(key)
  }
}
