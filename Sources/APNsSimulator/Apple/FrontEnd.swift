/// APNs's judgement of one request: pure, one request at a time. The order of the checks is ours, as Apple's is
/// unknown: method, path, headers, provider token, topic, payload, device token.
struct FrontEnd {
  /// What a push that passed every check is, and where it goes.
  struct Accepted: Equatable {
    var token: String
    var entry: TokenDirectory.Entry
    var headers: PushHeaders
  }

  enum Outcome: Equatable {
    case accepted(Accepted)
    case refused(Refusal)
  }

  struct Judgement: Equatable {
    var answer: APNsAnswer
    var outcome: Outcome
  }

  static let devicePath = "/3/device/"

  var tokens = TokenDirectory()
  var providerTokens = ProviderTokenCheck()
  /// Bundle ids of each team's apps.
  var apps: [String: Set<String>] = [:]
  /// Strict refuses what Apple leaves open: topic against push type, missing push type, priority 1 on cards.
  var isStrict = true
  var environmentReason = Reason.badEnvironmentKeyId

  /// `now` is card time, `realNow` real time; `inventedID` serves when the sender gave no good `apns-id`.
  mutating func judge(
    _ request: APNsRequest, on connection: inout ProviderConnection, now: Moment, realNow: Moment, inventedID: String
  ) -> Judgement {
    var answer = APNsAnswer(status: 200, apnsID: inventedID)
    if let given = request.headers.first(where: { $0.name == "apns-id" }), PushHeaders.isCanonicalUUID(given.value) {
      answer.apnsID = given.value
    }
    if connection.environment == .sandbox { answer.uniqueID = inventedID }
    do throws(Refusal) {
      return Judgement(
        answer: answer, outcome: .accepted(try accept(request, on: &connection, now: now, realNow: realNow)))
    } catch {
      answer.status = error.reason.status
      answer.reason = error.reason.rawValue
      if answer.status == 410 { answer.timestampMillis = (error.since ?? now).micros / 1000 }
      return Judgement(answer: answer, outcome: .refused(error))
    }
  }

  private mutating func accept(
    _ request: APNsRequest, on connection: inout ProviderConnection, now: Moment, realNow: Moment
  ) throws(Refusal) -> Accepted {
    let token = try deviceToken(of: request)
    let headers = try PushHeaders.read(request.headers, strict: isStrict).get()
    let key = try authorize(headers, on: &connection, realNow: realNow)
    let topic = try topic(of: headers, key: key)
    if request.body.isEmpty { throw Refusal(.payloadEmpty, "no body") }
    guard request.body.count <= headers.type.bodyBytesMax else {
      throw Refusal(.payloadTooLarge, "\(request.body.count) bytes; \(headers.type.bodyBytesMax) is the limit")
    }
    let entry = try tokens.resolve(
      token, topic: topic, headers: headers, environment: connection.environment, now: now)
    return Accepted(token: token, entry: entry, headers: headers)
  }

  private func deviceToken(of request: APNsRequest) throws(Refusal) -> String {
    guard request.method == "POST" else { throw Refusal(.methodNotAllowed, request.method) }
    guard request.path.utf8.starts(with: Self.devicePath.utf8) else {
      throw Refusal(.badPath, "expected \(Self.devicePath)<token>")
    }
    let token = request.path.utf8.dropFirst(Self.devicePath.utf8.count)
    if token.isEmpty { throw Refusal(.missingDeviceToken, "nothing after \(Self.devicePath)") }
    if token.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) {
      throw Refusal(.badPath, "more than a token in the path")
    }
    return String(Substring(token))
  }

  mutating func authorize(
    _ headers: PushHeaders, on connection: inout ProviderConnection, realNow: Moment
  ) throws(Refusal) -> ProviderKey {
    try connection.checkNotExpired()
    let key = try providerTokens.check(headers.authorization, now: realNow)
    if let environment = key.environment, environment != connection.environment {
      throw Refusal(environmentReason, "the key is for \(environment.rawValue)")
    }
    try connection.admit(key)
    return key
  }

  private func topic(of headers: PushHeaders, key: ProviderKey) throws(Refusal) -> String {
    guard let topic = headers.topic, !topic.isEmpty else { throw Refusal(.missingTopic, "no apns-topic") }
    let suffix = headers.type.topicSuffix
    guard Self.isBundleLike(topic) else { throw Refusal(.badTopic, "malformed topic") }
    guard topic.hasSuffix(suffix) else {
      throw Refusal(isStrict ? .badTopic : .topicDisallowed, "expected a topic on \(suffix)")
    }
    let bundle = String(topic.dropLast(suffix.count))
    guard apps[key.teamID]?.contains(bundle) == true, key.allows(bundle: bundle) else {
      throw Refusal(.topicDisallowed, "the key may not push to \(bundle)")
    }
    return topic
  }

  private static func isBundleLike(_ text: String) -> Bool {
    text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      }
  }
}
