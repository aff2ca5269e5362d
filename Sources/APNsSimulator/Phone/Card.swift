/// One Live Activity on a phone, from its request to its removal from the Lock Screen.
struct Card {
  enum State: String { case active, ended, dismissed, removed }
  enum Starter: String { case app, push }

  /// Unique in this run.
  let id: Int
  /// ActivityKit's own id.
  let activityID: String
  let order: String
  let starter: Starter
  let startedAt: Moment
  var state = State.active
  var isStale = false
  /// What the newest applied push (or the app) set.
  var content: ShownContent
  /// What is drawn; lags behind `content` by the render gap.
  var drawn: ShownContent
  var drawnAt: Moment
  /// Number of the push whose drawing is pending; 0 = none.
  var pendingDraw = 0
  /// `aps.timestamp` of the newest applied push.
  var timestamp: Int64?
  var staleAt: Moment?
  var removeAt: Moment?
  /// The app has this token.
  var token: String?
  /// The API has answered 2xx to this token.
  var registeredToken: String?
  /// The broadcast channel that the card listens to.
  var channel: String?
  /// A token waits for the app to live or the user to allow.
  var awaitsToken = false

  var isActive: Bool { state == .active }
  /// The API knows the token that works.
  var isRegistered: Bool { token != nil && token == registeredToken }
}

/// What a phone knows of an order of its user.
struct Followed {
  let order: String
  /// This phone placed the order.
  var placing = false
  /// The user swiped its card.
  var dismissed = false
  /// An accepted start was lost on Apple's side or the phone, not by the sender.
  var startLost = false
  /// A card with a newer generation may come.
  var generation = 0
  /// What was last written about it.
  var reach = ""
}

/// Attempts counted over a sliding window.
struct Allowance {
  let window: Span
  private(set) var spent: [Moment] = []

  init(window: Span) {
    self.window = window
  }

  mutating func spend(at now: Moment) { spent.append(now) }

  mutating func count(at now: Moment) -> Int {
    spent.removeAll { now - $0 >= window }
    return spent.count
  }
}

/// A leaky bucket: so many tokens an hour, full at first.
struct LeakyBucket {
  let perHour: Double
  private var level: Double
  private var at: Moment?

  init(perHour: Double) {
    self.perHour = perHour
    level = perHour
  }

  /// Nil when one could be taken, else how long until one can.
  mutating func take(at now: Moment) -> Span? {
    if let at { level = min(perHour, level + (now - at).inSeconds / 3600 * perHour) }
    at = now
    if level >= 1 {
      level -= 1
      return nil
    }
    return perHour > 0 ? .seconds((1 - level) / perHour * 3600 + 0.001) : .hours(24)
  }
}
