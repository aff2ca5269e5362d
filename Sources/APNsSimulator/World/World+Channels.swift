import FoundationEssentials

/// The channel management hosts and broadcasts (docs/apns.md 6).
extension World {
  static let broadcastPath = "/4/broadcasts/apps/"
  static let managementPath = "/1/apps/"
  static let broadcastBytesMax = 5120

  /// One request on a management host.
  public func manage(_ request: APNsRequest, on connection: inout ProviderConnection) -> Handling {
    answering(request, on: &connection) { world, headers, connection, answer throws(Refusal) in
      let parts = request.path.dropFirst(Self.managementPath.count).split(separator: "/").map(String.init)
      guard request.path.hasPrefix(Self.managementPath), parts.count == 2 else {
        throw Refusal(.badPath, "expected \(Self.managementPath)<bundle>/channels or all-channels")
      }
      let (bundle, environment) = (parts[0], connection.environment)
      try world.authorize(headers, bundle: bundle, on: &connection)
      switch (request.method, parts[1]) {
      case ("POST", "channels"):
        let id = Data(world.random.hexadecimal(bytes: 12).utf8).base64EncodedString()
        try world.channels.create(request.body, id: id, bundle: bundle, environment: environment)
        answer.status = 201
        answer.fields["apns-channel-id"] = id
      case ("GET", "channels"):
        let (_, channel) = try world.channels.find(
          headers["apns-channel-id"], bundle: bundle, environment: environment)
        answer.json = Array(
          #"{"message-storage-policy":\#(channel.stores ? 1 : 0),"push-type":"LiveActivity"}"#.utf8)
      case ("DELETE", "channels"):
        let (id, _) = try world.channels.find(
          headers["apns-channel-id"], bundle: bundle, environment: environment)
        world.channels.delete(id)
        answer.status = 204
      case ("GET", "all-channels"):
        let list = world.channels.list(bundle: bundle, environment: environment)
        answer.json = Array((try? JSONEncoder().encode(["channels": list])) ?? Data())
      default: throw Refusal(.methodNotAllowed, "\(request.method) \(parts[1])")
      }
    }
  }

  /// `POST /4/broadcasts/apps/<bundle>` on an ordinary host.
  func broadcast(_ request: APNsRequest, on connection: inout ProviderConnection) -> Handling {
    answering(request, on: &connection) { world, headers, connection, _ throws(Refusal) in
      guard request.method == "POST" else { throw Refusal(.methodNotAllowed, request.method) }
      let bundle = String(request.path.dropFirst(Self.broadcastPath.count))
      guard headers["apns-topic"] == nil else { throw Refusal(.badRequestParams, "a broadcast has no apns-topic") }
      let read = try PushHeaders.read(request.headers, strict: true).get()
      guard read.type == .liveactivity else { throw Refusal(.invalidPushType, "a broadcast is a liveactivity push") }
      try world.authorize(headers, bundle: bundle, on: &connection)
      let (id, channel) = try world.channels.find(
        headers["apns-channel-id"], bundle: bundle, environment: connection.environment)
      guard headers["apns-priority"] != nil else { throw Refusal(.badPriority, "apns-priority is required") }
      guard let expiration = read.expiration, channel.stores || expiration == 0 else {
        throw Refusal(.badExpirationDate, "apns-expiration is required, and 0 on a channel that stores nothing")
      }
      guard !request.body.isEmpty else { throw Refusal(.payloadEmpty, "no body") }
      guard request.body.count <= Self.broadcastBytesMax else {
        throw Refusal(.payloadTooLarge, "\(request.body.count) bytes; \(Self.broadcastBytesMax) is the limit")
      }
      try world.deliver(request.body, read, channel: id)
    }
  }

  private func deliver(_ body: [UInt8], _ headers: PushHeaders, channel: String) throws(Refusal) {
    let event = PushPayload.decode(body, for: .builtIn)?.event
    guard event == .update || event == .end else {
      throw Refusal(.badRequestPayload, "a broadcast is an update or an end, never a start")
    }
    for phone in phones {
      for card in phone.cards where card.channel == channel && card.isActive {
        var push = IncomingPush(
          id: pushesSeen, kind: .update(card: card.id), type: .liveactivity, priority: headers.priority,
          payload: PushPayload.decode(body, for: phone.build), order: card.order, card: card.id)
        push.onceOnly = headers.expiration == 0
        writePush(push, phone, status: 200, reason: nil)
        with(phone.index) { phone, hands in phone.accepted(push, &hands) }
      }
    }
  }

  private func authorize(
    _ headers: [String: String], bundle: String, on connection: inout ProviderConnection
  ) throws(Refusal) {
    var read = PushHeaders()
    read.authorization = headers["authorization"]
    let key = try frontEnd.authorize(read, on: &connection, realNow: real)
    if bundle.hasSuffix(PushHeaders.PushType.liveactivity.topicSuffix) {
      throw Refusal(.topicDisallowed, "the bundle id stands here without a suffix")
    }
    guard frontEnd.apps[key.teamID]?.contains(bundle) == true, key.allows(bundle: bundle) else {
      throw Refusal(.topicMismatch, "the key may not use \(bundle)")
    }
  }

  /// Runs `body`; what it throws becomes the answer and a violation.
  private func answering(
    _ request: APNsRequest, on connection: inout ProviderConnection,
    _ body: (World, [String: String], inout ProviderConnection, inout APNsAnswer) throws(Refusal) -> Void
  ) -> Handling {
    pushesSeen += 1
    let headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    var answer = APNsAnswer(status: 200, apnsID: random.uuid())
    answer.fields["apns-request-id"] = headers["apns-request-id"] ?? answer.apnsID
    var reason: Reason?
    do throws(Refusal) {
      try body(self, headers, &connection, &answer)
    } catch {
      reason = error.reason
      answer = APNsAnswer(status: error.reason.status, apnsID: answer.apnsID, reason: error.reason.rawValue)
      violation(error.reason.rawValue, error.detail)
    }
    return Handling(answer: answer, effects: connection.answered(answer.status, reason: reason))
  }
}
