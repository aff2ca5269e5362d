import APNsSimulator
import Crypto
import Domain
import Service

/// The way to the simulated Apple: each push becomes the request that the wire would carry and is judged. The way
/// fails in every manner that a real one does; answers come when they are due.
final class PhoneGateway: PushGateway, @unchecked Sendable {
  // Unchecked: used from one executor at a time.
  private struct Coming {
    var due: Instant
    var answer: PushAnswer
    var sink: any PushAnswerSink
  }

  private static let deadlineSeconds = 5.0

  private let world: World
  private let clock: ManualClock
  private let luck: Luck
  private let token: ProviderTokenSource
  private var connections: [PushEnvironment: ProviderConnection] = [:]
  private var coming: [Coming] = []
  /// The process that sends now.
  var life = Incarnation(stepsToLive: nil)

  init(world: World, clock: ManualClock, luck: Luck, token: ProviderTokenSource) {
    self.world = world
    self.clock = clock
    self.luck = luck
    self.token = token
    for environment in PushEnvironment.allCases {
      connections[environment] = ProviderConnection(environment: environment == .production ? .production : .sandbox)
    }
  }

  func credits(for lane: PushLane) -> Int { 500 }

  /// When the next answer is due.
  var nextAnswer: Instant? { coming.map(\.due).min() }

  /// Hands over the answers that are due.
  func deliver() {
    let now = clock.now()
    let due = coming.filter { $0.due <= now }
    coming.removeAll { $0.due <= now }
    for item in due { item.sink.answered([item.answer]) }
  }

  func send(_ pushes: [Push], answersTo sink: any PushAnswerSink) {
    for push in pushes { life.effect { send(push, sink) } }
  }

  private func send(_ push: Push, _ sink: any PushAnswerSink) {
    var delay = luck.between(0.02, 0.15)
    let outcome = outcome(of: push, delay: &delay)
    coming.append(
      Coming(
        due: clock.now().advanced(by: delay), answer: PushAnswer(ticket: push.ticket, outcome: outcome), sink: sink))
  }

  private func outcome(of push: Push, delay: inout Double) -> PushOutcome {
    if luck.strikes(.pushNotSent, 0.004) { return .notSent }
    if luck.strikes(.pushRefused, 0.004) { return .retry(afterSeconds: 0.1) }
    if luck.strikes(.answer500, 0.004) || luck.strikes(.answer503, 0.004) { return .retry(afterSeconds: 1) }
    if luck.strikes(.answer429, 0.002) { return .retry(afterSeconds: 2) }
    if luck.strikes(.pushSilent, 0.004) {
      delay = Self.deadlineSeconds
      return .unknown
    }
    if luck.strikes(.droppedOnDevice, 0.003) { dropNextUpdate() }
    let answered = judged(push)
    if luck.strikes(.answerLost, 0.004) {
      delay = Self.deadlineSeconds
      return .unknown
    }
    if luck.strikes(.answerSlow, 0.01) { delay = luck.between(0.5, 4.5) }
    return answered
  }

  /// Answered 200, and the phone drops it.
  private func dropNextUpdate() {
    var fault = Fault(.dropOnDevice)
    fault.event = "update"
    fault.count = 1
    _ = world.add([fault])
  }

  private func judged(_ push: Push) -> PushOutcome {
    guard var connection = connections[push.lane.environment] else { return .notSent }
    let handling = world.receive(request(for: push), on: &connection)
    connections[push.lane.environment] = connection
    guard let answer = handling.answer else { return .unknown }
    switch (answer.status, answer.reason) {
    case (200, _): return .accepted
    case (410, _): return .tokenDead(since: answer.timestampMillis.map { Instant(milliseconds: $0) })
    case (400, "BadDeviceToken"?): return .tokenDead(since: nil)
    case (429, _), (500..., _): return .retry(afterSeconds: 1)
    default: return .rejected
    }
  }

  private func request(for push: Push) -> APNsRequest {
    let (suffix, type) =
      switch push.kind {
      case .liveActivity: (".push-type.liveactivity", "liveactivity")
      case .alert: ("", "alert")
      case .background: ("", "background")
      }
    var path = Array("/3/device/".utf8)
    push.token.appendHexadecimal(to: &path)
    var headers = [
      (name: "authorization", value: "bearer \(token.text(at: clock.wall().seconds))"),
      (name: "apns-topic", value: push.lane.bundleID + suffix), (name: "apns-push-type", value: type),
      (name: "apns-priority", value: String(push.priority)),
      (name: "apns-expiration", value: String(push.expiration)),
    ]
    if let collapseID = push.collapseID { headers.append((name: "apns-collapse-id", value: collapseID)) }
    return APNsRequest(
      method: "POST", path: String(decoding: path, as: UTF8.self), headers: headers, body: push.body)
  }
}

/// A provider token that is renewed in time. Its signature is the only thing in a simulated world that a seed does not
/// decide, and nothing depends on it.
final class ProviderTokenSource {
  private static let ageSecondsMax: Int64 = 3_000
  static let keyID = "SIMULATION"

  let key: SigningKey
  private let teamID: String
  private var token = ""
  private var mintedAt: Int64 = 0

  init(teamID: String) throws {
    key = try SigningKey.generate()
    self.teamID = teamID
  }

  /// Another world begins, with a clock of its own.
  func forget() { token = "" }

  func text(at now: Int64) -> String {
    guard token.isEmpty || now - mintedAt >= Self.ageSecondsMax else { return token }
    let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(Self.keyID)"}"#.utf8))
    let claims = Base64URL.encode(Array(#"{"iss":"\#(teamID)","iat":\#(now)}"#.utf8))
    let signed = "\(header).\(claims)"
    guard let signature = try? key.sign(Array(signed.utf8)) else { return token }
    (token, mintedAt) = ("\(signed).\(Base64URL.encode(signature))", now)
    return token
  }
}
