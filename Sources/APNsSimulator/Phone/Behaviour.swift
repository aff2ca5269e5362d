/// How one phone, its user and its app behave. Every field has a default; seconds are card time.
public struct Behaviour: Codable, Hashable, Sendable {
  /// The app starts its own card at checkout, so many seconds after it.
  public var startsOwnCard = true
  public var checkoutSeconds = 1.0
  public var activitiesEnabled = true
  public var frequentPushes = false
  /// `authorized`, `provisional`, `denied`, `notDetermined`.
  public var notifications = "authorized"
  /// From an activity to its token in the app's hands.
  public var tokenSecondsMin = 0.2
  public var tokenSecondsMax = 5.0
  /// From APNs to the phone.
  public var deliverySecondsMin = 0.05
  public var deliverySecondsMax = 0.3
  /// Seconds from the first push start until the user taps Allow; nil = allowed before, negative = never.
  public var allowSeconds: Double?
  /// Pushes of priority 5 wait up to so long for the next burst.
  public var batchSeconds = 0.0
  /// Between two redraws of a card, iOS 18 or later.
  public var renderGapSeconds = 5.0
  public var startsPerDay = 10
  /// With frequent pushes: four times as many.
  public var priority10PerHour = 15.0
  /// A push held for the phone is replaced by the next one with this probability; else both stay in order.
  public var overwriteProbability = 0.9
  /// A delivery is held back up to `reorderSeconds` with this probability, so that later ones overtake it.
  public var reorderProbability = 0.0
  public var reorderSeconds = 3.0
  public var rotatesStartToken = true
  /// The update token changes so long after the card began.
  public var rotateUpdateTokenSeconds: Double?
  /// How APNs answers for dead tokens, and after how long it notices.
  public var afterlife = TokenAfterlife.unregistered
  public var afterlifeSeconds = 7200.0
  /// The user swipes each card away so long after it began; `swipeReported`: the app runs and says so.
  public var swipeSeconds: Double?
  public var swipeReported = false
  /// The user looks into the app so often: it reconciles and acknowledges.
  public var openEverySeconds: Double?
  /// A background upload that the system repeats so long after it had been answered, with its old revision.
  public var repeatUploadSeconds: Double?
  /// The app ends the older of two cards of one order by itself.
  public var endsDuplicates = false

  public init() {}

  public init(from decoder: any Decoder) throws {
    self.init()
    let keyed = try decoder.container(keyedBy: CodingKeys.self)
    func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
      if let given = try keyed.decodeIfPresent(Value.self, forKey: key) { value = given }
    }
    func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value?) throws {
      if let given = try keyed.decodeIfPresent(Value.self, forKey: key) { value = given }
    }
    try read(.startsOwnCard, &startsOwnCard)
    try read(.checkoutSeconds, &checkoutSeconds)
    try read(.activitiesEnabled, &activitiesEnabled)
    try read(.frequentPushes, &frequentPushes)
    try read(.notifications, &notifications)
    try read(.tokenSecondsMin, &tokenSecondsMin)
    try read(.tokenSecondsMax, &tokenSecondsMax)
    try read(.deliverySecondsMin, &deliverySecondsMin)
    try read(.deliverySecondsMax, &deliverySecondsMax)
    try read(.allowSeconds, &allowSeconds)
    try read(.batchSeconds, &batchSeconds)
    try read(.renderGapSeconds, &renderGapSeconds)
    try read(.startsPerDay, &startsPerDay)
    try read(.priority10PerHour, &priority10PerHour)
    try read(.overwriteProbability, &overwriteProbability)
    try read(.reorderProbability, &reorderProbability)
    try read(.reorderSeconds, &reorderSeconds)
    try read(.rotatesStartToken, &rotatesStartToken)
    try read(.rotateUpdateTokenSeconds, &rotateUpdateTokenSeconds)
    try read(.afterlife, &afterlife)
    try read(.afterlifeSeconds, &afterlifeSeconds)
    try read(.swipeSeconds, &swipeSeconds)
    try read(.swipeReported, &swipeReported)
    try read(.openEverySeconds, &openEverySeconds)
    try read(.repeatUploadSeconds, &repeatUploadSeconds)
    try read(.endsDuplicates, &endsDuplicates)
  }
}

/// How APNs answers for a token that is dead; all of these occur in life (docs/apns.md 3.1).
public enum TokenAfterlife: String, CaseIterable, Codable, Sendable {
  case accepted, badDeviceToken, unregistered, expiredToken
}
