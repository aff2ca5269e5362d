import Domain

/// One phone with one order, as a test wants it, and what the policy says of it.
struct PhoneScene {
  static let start = Instant(seconds: 1_800_000_000)
  static let token = PushToken(bytes: [1, 2, 3])

  var now = start
  var settings = PolicySettings()
  var installation: Installation
  var budget = PhoneBudget()
  var order: OrderView
  var others: [OrderView] = []
  var dataIsLive = true

  /// A phone that can do everything; the order was placed a minute ago by somebody else's phone.
  init(_ stage: Stage = .accepted) {
    installation = Installation(id: InstallationID("phone"), bundleID: "com.example.app", environment: .production)
    installation.osVersion = OSVersion(major: 18, minor: 0)
    installation.notifications = .authorized
    installation.deviceToken = Self.token
    installation.startTokens = ["DeliveryAttributes": Self.token].compactMapValues { $0 }
    installation.pushToStartProven = true
    order = OrderView(
      id: OrderID("o-1"), version: 1, desired: Self.snapshot(stage), causeFreshUntil: Self.start.advanced(by: 600),
      knownSince: Self.start.advanced(by: -60))
  }

  static func snapshot(_ stage: Stage, sequence: Int64 = 100, life: Int32 = 0, arrivalIn: Double? = 1_200) -> Snapshot {
    Snapshot(
      sequence: sequence, life: life, stage: stage, stageStarted: start, computed: start, riderPhase: .none,
      arrival: stage.isTerminal ? nil : arrivalIn.map { start.advanced(by: $0) }, progress: 0.3, placed: start)
  }

  /// A card that was told the given content so many seconds ago.
  static func card(
    _ generation: Int32 = 1, _ phase: CardView.Phase = .active, told stage: Stage? = .accepted, sequence: Int64 = 100,
    life: Int32 = 0, toldAgo: Double = 30, startedAgo: Double = 300, hasToken: Bool = true
  ) -> CardView {
    var card = CardView(
      generation: generation, phase: phase, startedBy: .push, startedAt: start.advanced(by: -startedAgo),
      attributesType: "DeliveryAttributes")
    card.life = life
    card.updateToken = hasToken ? token : nil
    card.told = stage.map {
      CardView.Told(
        sequence: sequence, life: life, stage: $0, arrival: nil, staleAt: nil, at: start.advanced(by: -toldAgo))
    }
    return card
  }

  var view: PhoneView {
    var view = PhoneView(installation: installation, budget: budget, orders: [order] + others)
    view.dataIsLive = dataIsLive
    return view
  }

  func decide() -> PhoneDecision { DispatchPolicy(settings: settings).decide(view, now: now) }
  var plan: PushPlan? { decide().plan }
  var rule: String? { decide().verdicts[order.id]?.rule }
  var kind: Verdict.Kind? { decide().verdicts[order.id]?.kind }
}
