import APNs
import Configuration
import Domain
import Service

/// What `doorstep push` was asked for.
struct PushCommandOptions {
  enum Event: String, CaseIterable { case start, update, end, alert, background }

  var event = Event.update
  var token: PushToken?
  var bundleID = ""
  var teamID = ""
  var keyID = ""
  var keyFile = ""
  /// nil: not said; a token that production calls bad is tried in the sandbox.
  var environment: PushEnvironment?
  var url: String?
  var caFile: String?
  var proxy: String?
  var payloadFile: String?
  var contentState: String?
  var attributesType: String?
  var attributes: String?
  var title: String?
  var body: String?
  var sound: String?
  var priority: Int?
  var expirationSeconds: Int64 = 900
  var collapseID: String?
  var staleAfterSeconds: Int64?
  var dismissAfterSeconds: Int64?
  var printsCurl = false
  var isJSON = false

  static let usage = """
    push --token HEX --bundle-id ID [--event \(Event.allCases.map(\.rawValue).joined(separator: "|"))] [options]
    """

  static let help = """
      --token HEX               device, start or update token
      --bundle-id ID            the host app's bundle id
      --event EVENT             \(Event.allCases.map(\.rawValue).joined(separator: ", ")); default update
      --team-id ID, --key-id ID, --key-file FILE
                                default: DOORSTEP_APNS_TEAM_ID, _KEY_ID, _KEY_FILE
      --sandbox, --production   default: production, and the sandbox where production calls the token bad
      --url URL, --ca-file FILE, --proxy HOST:PORT
                                another gateway than Apple's; default: DOORSTEP_APNS_*
      --payload FILE            the whole body, as it is; else it is made of
      --content-state JSON, --attributes-type NAME, --attributes JSON, --title TEXT, --body TEXT, --sound NAME,
      --stale-after SECONDS, --dismiss-after SECONDS
      --priority 5|10           default 10, background 5
      --expire-after SECONDS    default 900; 0 is one attempt
      --collapse-id ID
      --print-curl              prints the equal curl command instead; it holds a provider token good for an hour
      --json                    prints the answer as JSON
    """

  /// - Throws: `PushCommandError` that names the argument and what was expected.
  init(_ arguments: [String], environment variables: [String: String]) throws(PushCommandError) {
    teamID = variables["DOORSTEP_APNS_TEAM_ID"] ?? ""
    keyID = variables["DOORSTEP_APNS_KEY_ID"] ?? ""
    keyFile = variables["DOORSTEP_APNS_KEY_FILE"] ?? ""
    caFile = variables["DOORSTEP_APNS_CA_FILE"]
    proxy = variables["DOORSTEP_APNS_PROXY"]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if try takeFlag(argument) { continue }
      guard let value = rest.popFirst() else {
        throw PushCommandError("\(argument): expected a value after it, or no option of that name is known")
      }
      try take(argument, value)
    }
    if url == nil {
      url = variables[self.environment == .sandbox ? "DOORSTEP_APNS_SANDBOX_URL" : "DOORSTEP_APNS_PRODUCTION_URL"]
    }
    try checkComplete()
  }

  private mutating func takeFlag(_ argument: String) throws(PushCommandError) -> Bool {
    switch argument {
    case "--sandbox": environment = .sandbox
    case "--production": environment = .production
    case "--print-curl": printsCurl = true
    case "--json": isJSON = true
    default: return false
    }
    return true
  }

  private mutating func take(_ argument: String, _ value: String) throws(PushCommandError) {
    switch argument {
    case "--event":
      guard let event = Event(rawValue: value) else {
        throw PushCommandError(
          "--event \(value): expected one of \(Event.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      self.event = event
    case "--token":
      guard let token = PushToken(hexadecimal: value) else {
        throw PushCommandError("--token: expected hexadecimal of an even length from 2 to 400")
      }
      self.token = token
    case "--bundle-id": bundleID = value
    case "--team-id": teamID = value
    case "--key-id": keyID = value
    case "--key-file": keyFile = value
    case "--url": url = value
    case "--ca-file": caFile = value
    case "--proxy": proxy = value
    case "--priority":
      guard let priority = Int(value), [5, 10].contains(priority) else {
        throw PushCommandError("--priority \(value): expected 5 or 10")
      }
      self.priority = priority
    default: try takeContent(argument, value)
    }
  }

  private mutating func takeContent(_ argument: String, _ value: String) throws(PushCommandError) {
    switch argument {
    case "--payload": payloadFile = value
    case "--content-state": contentState = value
    case "--attributes-type": attributesType = value
    case "--attributes": attributes = value
    case "--title": title = value
    case "--body": body = value
    case "--sound": sound = value
    case "--collapse-id": collapseID = value
    case "--expire-after": expirationSeconds = try Self.seconds(argument, value)
    case "--stale-after": staleAfterSeconds = try Self.seconds(argument, value)
    case "--dismiss-after": dismissAfterSeconds = try Self.seconds(argument, value)
    default: throw PushCommandError("\(argument): no such option")
    }
  }

  private static func seconds(_ argument: String, _ value: String) throws(PushCommandError) -> Int64 {
    guard let seconds = Int64(value), (0...2_592_000).contains(seconds) else {
      throw PushCommandError("\(argument) \(value): expected seconds from 0 to 2592000")
    }
    return seconds
  }

  private func checkComplete() throws(PushCommandError) {
    guard token != nil else { throw PushCommandError("--token is missing") }
    let required = [
      ("--bundle-id", bundleID), ("--team-id", teamID), ("--key-id", keyID), ("--key-file", keyFile),
    ]
    for (name, value) in required where value.isEmpty { throw PushCommandError("\(name) is missing") }
  }
}

/// A wrong use of `doorstep push`: says which argument and what was expected.
struct PushCommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
