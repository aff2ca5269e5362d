/// One phone: an installation of the app, its user, its cards. A state machine without time or sockets of its own:
/// events come in with `Hands`, effects go out through them.
final class Phone {
  static let cardsMax = 5
  static let activeLife = Span.hours(8)
  static let lockScreenLife = Span.hours(4)
  static let startWindow = Span.hours(24)

  let index: Int
  var installation: String
  var user: String?
  let bundle: String
  let environment: APNsEnvironment
  let os: OSRelease
  let appVersion: String
  let build: AppBuild
  private let shared: SharedBehaviour
  var behaviour: Behaviour { shared.value }

  var isOnline = true
  var isForceQuit = false
  var isLowPower = false
  var isAllowed: Bool
  var activitiesEnabled: Bool
  var notifications: String

  var deviceToken = ""
  var startToken: String?
  var cards: [Card] = []
  var followed: [String: Followed] = [:]
  var starts: Allowance
  var priority10: LeakyBucket
  var mailbox = Mailbox()
  var alertsShown = 0

  var app = AppState()

  init(index: Int, spec: PhoneSpec, behaviour: SharedBehaviour) {
    self.index = index
    installation = spec.installation
    user = spec.user
    bundle = spec.bundle
    environment = spec.environment
    os = spec.os
    appVersion = spec.appVersion
    build = spec.app
    shared = behaviour
    isAllowed = spec.behaviour.allowSeconds == nil
    activitiesEnabled = spec.behaviour.activitiesEnabled
    notifications = spec.behaviour.notifications
    starts = Allowance(window: Self.startWindow)
    priority10 = LeakyBucket(
      perHour: spec.behaviour.priority10PerHour * (spec.behaviour.frequentPushes ? 4 : 1))
  }

  var activeCards: Int { cards.count { $0.isActive } }
  var canStartByPush: Bool { os >= OSRelease(17, 2) }

  func handle(_ event: PhoneEvent, _ hands: inout Hands) {
    switch event {
    case .switchedOn: switchedOn(&hands)
    case .follows(let order, let placing): follow(order, placing: placing, &hands)
    case .checkout(let order, let store): checkout(order, store: store, &hands)
    case .arrived(let push): arrived(push, &hands)
    case .burst: burst(&hands)
    case .tokenReady(let card): tokenReady(card, &hands)
    case .startTokenChanged: changeStartToken(&hands)
    case .updateTokenChanges(let card): changeUpdateToken(card, &hands)
    case .allowed: allow(&hands)
    case .stale(let card, let at): becomeStale(card, at: at, &hands)
    case .eightHours(let card): endByAge(card, &hands)
    case .removal(let card): remove(card, &hands)
    case .drawn(let card): draw(card, &hands)
    case .appOpens(let again): openApp(again: again, &hands)
    case .uploadDue: sendNextUpload(&hands)
    case .uploadRepeats(let upload): repeatUpload(upload, &hands)
    case .answered(let status, let body): answered(status: status, body: body, &hands)
    case .user(let action, let order, let user): perform(action, order: order, user: user, &hands)
    }
    writeReach(&hands)
  }

  func cardIndex(_ id: Int) -> Int? { cards.lastIndex { $0.id == id } }

  func write(_ kind: TruthRecord.Kind, _ hands: inout Hands, _ fill: (inout TruthRecord) -> Void) {
    var record = TruthRecord(kind)
    record.phone = installation
    fill(&record)
    hands.effects.append(.write(record))
  }

  func writeCard(_ card: Card, _ word: String, _ hands: inout Hands) {
    write(.card, &hands) { record in
      record.order = card.order
      record.card = card.id
      record.word = word
      record.stage = card.drawn.stage
    }
  }
}

/// One behaviour for all phones that behave so.
final class SharedBehaviour {
  let value: Behaviour

  init(_ value: Behaviour) {
    self.value = value
  }
}

/// Major and minor of iOS.
public struct OSRelease: Comparable, Sendable, Codable {
  var major: Int
  var minor: Int

  init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let parts = text.split(separator: ".").compactMap { Int($0) }
    guard let major = parts.first else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "os: expected 18.2"))
    }
    self.init(major, parts.count > 1 ? parts[1] : 0)
  }

  public func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    try single.encode(text)
  }

  var text: String { "\(major).\(minor)" }

  public static func < (left: OSRelease, right: OSRelease) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

/// What a phone is made of: the control port's PHONE.
public struct PhoneSpec: Codable, Sendable {
  public var installation: String
  public var user: String?
  public var bundle = "com.example.delivery"
  public var environment = APNsEnvironment.production
  public var os = OSRelease(18, 2)
  public var appVersion = "3.0"
  public var app = AppBuild.builtIn
  public var behaviour = Behaviour()

  public init(installation: String, user: String?) {
    self.installation = installation
    self.user = user
  }

  public init(from decoder: any Decoder) throws {
    let keyed = try decoder.container(keyedBy: CodingKeys.self)
    installation = try keyed.decode(String.self, forKey: .installation)
    user = try keyed.decodeIfPresent(String.self, forKey: .user)
    bundle = try keyed.decodeIfPresent(String.self, forKey: .bundle) ?? bundle
    environment = try keyed.decodeIfPresent(APNsEnvironment.self, forKey: .environment) ?? environment
    os = try keyed.decodeIfPresent(OSRelease.self, forKey: .os) ?? os
    appVersion = try keyed.decodeIfPresent(String.self, forKey: .appVersion) ?? appVersion
    app = try keyed.decodeIfPresent(AppBuild.self, forKey: .app) ?? app
    if let name = try? keyed.decodeIfPresent(String.self, forKey: .behaviour) {
      guard let preset = Behaviour.presets[name] else {
        throw DecodingError.dataCorruptedError(
          forKey: .behaviour, in: keyed,
          debugDescription: "no behaviour \(name); there are \(Behaviour.presets.keys.sorted().joined(separator: ", "))"
        )
      }
      behaviour = preset
    } else {
      behaviour = try keyed.decodeIfPresent(Behaviour.self, forKey: .behaviour) ?? behaviour
    }
  }
}
