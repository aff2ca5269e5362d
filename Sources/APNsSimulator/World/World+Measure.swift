/// The published stream and the figures.
extension World {
  /// Published events for the oracle; `at` is card time.
  public func heard(_ events: [PublishedEvent]) { log.publish(events) }

  /// From here until `until` (card time) truth is not counted; safety is.
  public func excludeTruth(from: Moment, until: Moment) {
    var record = TruthRecord(.excluded)
    record.number = until.micros
    record.at = from
    record.real = real
    log.write(record)
  }

  /// The figures up to now.
  public func report() -> Figures {
    Oracle.figures(log, at: now, real: real)
  }

  /// Writes the end of the run into the log, so that the raw logs alone give the same figures.
  public func finish() -> Figures {
    var last = TruthRecord(.clock)
    last.word = "end"
    write(last)
    log.close()
    return report()
  }

  public struct Health: Codable, Sendable {
    public var phones: Int
    public var registered: Int
    public var pendingUploads: Int
    public var runningCards: Int
    public var pushes: Int
    public var violations: Int
    public var cardTimeMicros: Int64
  }

  public var health: Health {
    Health(
      phones: phones.count, registered: phones.count { $0.app.isRegistered },
      pendingUploads: phones.reduce(0) { $0 + $1.app.waiting.count + ($1.app.inFlight == nil ? 0 : 1) },
      runningCards: phones.reduce(0) { $0 + $1.activeCards }, pushes: pushesSeen,
      violations: log.violations, cardTimeMicros: now.micros)
  }

  public struct PhoneScreen: Codable, Sendable {
    public struct CardView: Codable, Sendable {
      public var order: String
      public var activityId: String
      public var state: String
      public var startedBy: String
      public var stage: String
      public var sequence: Int64?
      public var estimatedArrivalTimestamp: Int64?
      public var isStale: Bool
      public var updateToken: String?
    }
    public var installation: String
    public var user: String?
    public var registered: Bool
    public var deviceToken: String
    public var startToken: String?
    public var cards: [CardView]
    public var alertsShown: Int
  }

  /// What this phone shows now.
  public func screen(of installation: String) throws(CommandRefused) -> PhoneScreen {
    let phone = phones[try phone(installation)]
    return PhoneScreen(
      installation: phone.installation, user: phone.user, registered: phone.app.isRegistered,
      deviceToken: phone.deviceToken, startToken: phone.startToken,
      cards: phone.cards.map { card in
        PhoneScreen.CardView(
          order: card.order, activityId: card.activityID, state: card.state.rawValue,
          startedBy: card.starter.rawValue, stage: card.drawn.stage.text, sequence: card.drawn.sequence,
          estimatedArrivalTimestamp: card.drawn.arrival, isStale: card.isStale, updateToken: card.token)
      }, alertsShown: phone.alertsShown)
  }
}
