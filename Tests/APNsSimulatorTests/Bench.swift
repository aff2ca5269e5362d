import Testing

@testable import APNsSimulator

/// A world under a manual clock, a hand-written provider that pushes to it, and an API that says yes to everything.
final class Bench {
  static let start = Moment(seconds: 1_790_000_000)

  let world: World
  let signer: HandSigner
  var connection: ProviderConnection
  var now = Bench.start
  /// Real time; runs along with card time unless a test moves it alone.
  var real = Bench.start
  var token: String
  private var minted = Bench.start
  var calls: [RegistryCall] = []
  /// What the API answers to a start intent.
  var pushStart = "none"
  /// Status of the API's answers.
  var status = 200
  private var timestamp = Bench.start.seconds

  init(seed: UInt64 = 1, environment: APNsEnvironment = .production, strict: Bool = true) throws {
    signer = try HandSigner()
    var settings = World.Settings()
    settings.seed = seed
    settings.isStrict = strict
    world = World(settings: settings, log: TruthLog(), now: now, real: real)
    world.accept(signer.key())
    connection = ProviderConnection(environment: environment)
    token = try signer.token(issuedAt: real.seconds)
  }

  /// Switches a phone on and lets it register.
  func phone(
    _ installation: String = "i-1", user: String = "u-1", _ change: (inout PhoneSpec) -> Void = { _ in }
  ) throws -> Phone {
    var spec = PhoneSpec(installation: installation, user: user)
    spec.behaviour.tokenSecondsMax = 0.5
    change(&spec)
    try world.switchOn([spec])
    run(1)
    return world.phones[world.phones.count - 1]
  }

  /// A phone with a card that it started itself, its token known.
  func phoneWithCard(order: String = "o-1", _ change: (inout PhoneSpec) -> Void = { _ in }) throws -> Phone {
    let phone = try phone("i-1", user: "u-1", change)
    try place(order)
    run(5)
    try #require(phone.cards.last?.isRegistered == true)
    return phone
  }

  func place(_ order: String, by installation: String? = "i-1", user: String = "u-1") throws {
    try world.place([OrderSpec(order: order, user: user, placedBy: installation)])
  }

  /// Lets so many seconds pass; the API answers at once.
  func run(_ seconds: Double) {
    let end = now + .seconds(seconds)
    answerCalls()
    while let next = world.nextTimer, next <= end {
      let step = max(next, now)
      real = real + (step - now)
      now = step
      world.advance(to: now, real: real)
      answerCalls()
    }
    real = real + (end - now)
    now = end
    world.advance(to: now, real: real)
    answerCalls()
  }

  func act(_ action: PhoneAction, on installation: String = "i-1", order: String? = nil, user: String? = nil) throws {
    var spec = ActionSpec(installation: installation, action: action)
    spec.order = order
    spec.user = user
    try world.act([spec])
    run(0)
  }

  func perform(_ action: ActionSpec) throws {
    try world.act([action])
    run(1)
  }

  private func answerCalls() {
    while true {
      let made = world.takeCalls()
      if made.isEmpty { return }
      calls += made
      for call in made {
        let body = #"{"installationCredential":"c-\#(call.phone)","pushStart":"\#(pushStart)"}"#
        world.answered(phone: call.phone, status: status, body: Array(body.utf8))
      }
    }
  }

  // MARK: The provider

  static func standardHeaders(topic: String = "com.example.delivery.push-type.liveactivity") -> [String: String] {
    ["apns-topic": topic, "apns-push-type": "liveactivity", "apns-priority": "10"]
  }

  /// One push; `headers` replace or, when nil, remove the standard ones.
  @discardableResult
  func push(
    _ path: String, _ body: String, method: String = "POST", headers changes: [String: String?] = [:]
  ) -> Handling {
    if real - minted > .seconds(3000), let renewed = try? signer.token(issuedAt: real.seconds) {
      (token, minted) = (renewed, real)
    }
    var headers = Self.standardHeaders().merging(["authorization": "bearer \(token)"]) { $1 }
    for (name, value) in changes { headers[name] = value }
    let request = APNsRequest(
      method: method, path: path, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      body: Array(body.utf8))
    return world.receive(request, on: &connection)
  }

  func state(_ stage: String, sequence: Int) -> String {
    #"{"sequence":\#(sequence),"stage":"\#(stage)","stageStartedTimestamp":1,"snapshotTimestamp":1,"#
      + #""riderPhase":"none","progress":0.5,"isDelayed":false}"#
  }

  func nextTimestamp() -> Int64 {
    timestamp = max(timestamp + 1, now.seconds)
    return timestamp
  }

  /// An update or end to the newest card of the phone.
  @discardableResult
  func tell(
    _ phone: Phone, _ stage: String, sequence: Int = 1, event: String = "update", timestamp: Int64? = nil,
    extra: String = "", headers: [String: String?] = [:]
  ) throws -> Handling {
    let token = try #require(phone.cards.last?.token)
    let body =
      #"{"aps":{"timestamp":\#(timestamp ?? nextTimestamp()),"event":"\#(event)","#
      + #""content-state":\#(state(stage, sequence: sequence))\#(extra)}}"#
    return push("/3/device/\(token)", body, headers: headers)
  }

  @discardableResult
  func start(
    _ phone: Phone, order: String = "o-1", stage: String = "accepted", alert: String = #","alert":{"title":"T"}"#,
    type: String = "DeliveryAttributes", extra: String = #","input-push-token":1"#, headers: [String: String?] = [:]
  ) throws -> Handling {
    let token = try #require(phone.startToken)
    let body =
      #"{"aps":{"timestamp":\#(nextTimestamp()),"event":"start","attributes-type":"\#(type)","#
      + #""attributes":{"orderID":"\#(order)","storeName":"S","startedAtTimestamp":1},"#
      + #""content-state":\#(state(stage, sequence: 1))\#(alert)\#(extra)}}"#
    return push("/3/device/\(token)", body, headers: headers)
  }

  func records(_ kind: TruthRecord.Kind, _ word: String? = nil) -> [TruthRecord] {
    world.log.records.filter { $0.kind == kind && (word == nil || $0.word == word) }
  }

  func dropped() -> [String] { records(.dropped).map(\.word) }

  func publish(_ type: String, sequence: Int, order: String = "o-1", stage: String? = nil) {
    var members: [String: JSONValue] = [
      "type": .string(type), "subject": .string(order), "sequence": .integer(Int64(sequence)),
    ]
    if let stage { members["data"] = .object(["stage": .string(stage)]) }
    world.heard([PublishedEvent(at: now, real: real, topic: "delivery.orders", event: .object(members))])
  }
}
