/// A push on its way to or in a phone.
struct IncomingPush: Sendable {
  var id: Int
  var kind: TokenDirectory.Kind
  var type: PushHeaders.PushType
  var priority: Int
  /// Card time; nil = 30 days.
  var expiresAt: Moment?
  /// `apns-expiration: 0`: one attempt, no storing.
  var onceOnly = false
  /// Of two that wait, the later one with the same id always takes the place of the earlier.
  var collapseID: String?
  var payload: PushPayload?
  /// It leads nowhere: a dead token that APNs still accepts.
  var isLost = false
  /// The order that it is about, as far as can be told.
  var order: String
  var card = 0
}

/// What users do and networks undergo.
public enum PhoneAction: String, Codable, Sendable, CaseIterable {
  case swipe, swipeReported, offline, online, activitiesOff, activitiesOn, notificationsOff, notificationsOn
  case forceQuit, open, reboot, reinstall, restoreBackup, logOut, logIn, rotateTokens, lowPowerOn, lowPowerOff, allow
  case killToken
}

/// What a phone is told.
enum PhoneEvent {
  case switchedOn
  case follows(order: String, placing: Bool)
  case checkout(order: String, store: String)
  indirect case arrived(IncomingPush)
  case burst
  case tokenReady(card: Int)
  case startTokenChanged
  case updateTokenChanges(card: Int)
  case allowed
  case stale(card: Int, at: Moment)
  case eightHours(card: Int)
  case removal(card: Int)
  case drawn(card: Int)
  case appOpens(again: Bool)
  case uploadDue
  indirect case uploadRepeats(Upload)
  case answered(status: Int, body: [UInt8])
  case user(PhoneAction, order: String?, user: String?)
}

/// One request of the app to its API.
struct Upload: Sendable {
  enum Purpose: Equatable, Sendable {
    case installation(startToken: String?, deviceToken: String?, activitiesEnabled: Bool, user: String?)
    case activity(card: Int, token: String?)
    case intent(order: String, store: String)
    case reconcile
    case logOut
  }

  var purpose: Purpose
  var method: String
  var path: String
  var body: [UInt8]
  var attempts = 0
  var isRepeat = false

  /// An API that does not offer it is done without.
  var isOptional: Bool {
    switch purpose {
    case .intent, .reconcile, .logOut: true
    default: false
    }
  }
}

/// A request to be carried out by the shell; the answer comes back with `phone`.
public struct RegistryCall: Sendable {
  public var phone: Int
  public var method: String
  /// With its leading slash.
  public var path: String
  /// Empty = no body.
  public var body: [UInt8]
  /// The installation's own credential; nil = use the service key.
  public var credential: String?
}

/// What a phone wants done.
enum PhoneEffect {
  case later(Moment, PhoneEvent)
  case call(Upload)
  case issue(token: String, TokenDirectory.Kind)
  /// `atOnce`: APNs knows it now, else after the behaviour's time.
  case retire(token: String, atOnce: Bool = false)
  case write(TruthRecord)
  case userChanged(from: String?)
}

/// What a phone may use while it handles one event.
struct Hands {
  let now: Moment
  var random: SeededRandom
  var nextCard: Int
  var effects: [PhoneEffect] = []

  mutating func later(_ delay: Span, _ event: PhoneEvent) { effects.append(.later(now + delay, event)) }
}
