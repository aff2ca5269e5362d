import Domain

/// The queue lane that a push belongs to: one signing key's pool per app and environment.
public struct PushLane: Hashable, Sendable {
  public var bundleID: String
  public var environment: PushEnvironment

  public init(bundleID: String, environment: PushEnvironment) {
    self.bundleID = bundleID
    self.environment = environment
  }
}

/// One push, shaped and ready to be sent.
public struct Push: Sendable {
  public enum Kind: String, Sendable { case liveActivity, alert, background }

  /// The dispatcher's own number; comes back with the answer.
  public var ticket: UInt64
  public var lane: PushLane
  public var kind: Kind
  public var token: PushToken
  /// 5 or 10.
  public var priority: Int
  /// Unix seconds of real time, or of business time in a demo: what `apns-expiration` says.
  public var expiration: Int64
  public var collapseID: String?
  public var body: [UInt8]
  public var traceparent: String?
  /// Real seconds after which the answer is taken as unknown.
  public var deadlineSeconds: Double
  /// The environment is a guess: a token that it calls bad is tried once in the other one.
  public var environmentIsInferred = false

  public init(
    ticket: UInt64, lane: PushLane, kind: Kind, token: PushToken, priority: Int, expiration: Int64,
    collapseID: String? = nil, body: [UInt8], traceparent: String? = nil, deadlineSeconds: Double = 5
  ) {
    self.ticket = ticket
    self.lane = lane
    self.kind = kind
    self.token = token
    self.priority = priority
    self.expiration = expiration
    self.collapseID = collapseID
    self.body = body
    self.traceparent = traceparent
    self.deadlineSeconds = deadlineSeconds
  }
}

/// What APNs said of one push: a closed set that callers switch over.
public enum PushOutcome: Equatable, Sendable {
  /// 200: APNs has it. Never "delivered".
  case accepted
  /// A 4xx that repeating cannot cure: our fault or the configuration's.
  case rejected
  /// The token is dead; `since` as APNs dated it.
  case tokenDead(since: Instant?)
  /// Certainly not processed (refused stream, 5xx, 429, circuit open): may be repeated after so many real seconds.
  case retry(afterSeconds: Double)
  /// The body left and no answer came: it may or may not have been accepted.
  case unknown
  /// Nothing of it left this process.
  case notSent
}

public struct PushAnswer: Sendable {
  public var ticket: UInt64
  public var outcome: PushOutcome
  /// HTTP status; 0 when there was no answer.
  public var status: Int
  /// APNs's reason word, verbatim and bounded; empty when there was none.
  public var reason: String
  public var apnsID: String
  /// Real seconds from hand-over to answer.
  public var seconds: Double
  /// Which environment answered: another one than the lane's when that was a guess and wrong. nil when none did.
  public var environment: PushEnvironment?

  public init(
    ticket: UInt64, outcome: PushOutcome, status: Int = 0, reason: String = "", apnsID: String = "",
    seconds: Double = 0, environment: PushEnvironment? = nil
  ) {
    self.ticket = ticket
    self.outcome = outcome
    self.status = status
    self.reason = reason
    self.apnsID = apnsID
    self.seconds = seconds
    self.environment = environment
  }
}

/// Who gets the answers, in batches, on the gateway's own thread: must only take note and return.
public protocol PushAnswerSink: AnyObject, Sendable {
  func answered(_ answers: [PushAnswer])
}

/// The way to APNs. There is no queue in it: the dispatcher sends no more than there are credits (rule 3.2).
public protocol PushGateway: Sendable {
  /// Pushes that the lane can take now without waiting for a stream; 0 while its circuit is open.
  func credits(for lane: PushLane) -> Int
  /// Hands a batch over without waiting. Each push is answered exactly once.
  func send(_ pushes: [Push], answersTo sink: any PushAnswerSink)
}
