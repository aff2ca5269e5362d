import Domain

/// A random life of one phone with three orders: the policy decides, answers of every kind come back, the app reports,
/// the platform goes on. Keeps the books that the policy must balance.
struct PolicyWorld {
  var numbers: SeededNumbers
  var now = PhoneScene.start
  var view: PhoneView
  let policy = DispatchPolicy()
  var broken: [String] = []
  /// Rules of the pushes that were made.
  var fired: Set<String> = []

  private var rings: Set<String> = []
  private var starts: [(time: Instant, order: OrderID, generation: Int32)] = []
  private var urgent: [Instant] = []
  private var sequence: Int64 = 100

  init(seed: UInt64) {
    numbers = SeededNumbers(seed: seed)
    var scene = PhoneScene(.placed)
    scene.installation.pushToStartProven = numbers.chance()
    scene.installation.frequentPushesEnabled = numbers.chance()
    view = PhoneView(installation: scene.installation, budget: PhoneBudget(), orders: [])
  }

  mutating func run(steps: Int) {
    for index in 1...3 { place(OrderID("o-\(index)")) }
    for _ in 0..<steps {
      let decision = policy.decide(view, now: now)
      if let plan = decision.plan { carryOut(plan) } else { pass(until: decision.lookAgainAt) }
      if numbers.chance(0.3) { happen() }
    }
  }

  private mutating func place(_ id: OrderID) {
    sequence += 1
    var order = OrderView(
      id: id, version: 1, desired: PhoneScene.snapshot(.placed, sequence: sequence),
      causeFreshUntil: now.advanced(by: 600), knownSince: now, placedByThisPhone: numbers.chance())
    order.heardAt = now
    view.orders.append(order)
  }

  /// Nothing may become due before the time that the policy named.
  private mutating func pass(until time: Instant?) {
    let most = min(time?.since(now) ?? 3_600, 3_600)
    let probe = now.advanced(by: Double.random(in: 0..<1, using: &numbers) * most * 0.999)
    if let plan = policy.decide(view, now: probe).plan {
      broken.append("\(plan.rule) was due before it was said to be")
    }
    now = numbers.chance(0.5) ? probe : now.advanced(by: most)
  }

  // MARK: pushes

  private mutating func carryOut(_ plan: PushPlan) {
    fired.insert(plan.rule)
    if let order = view.orders.first(where: { $0.id == plan.order }) { check(plan, of: order) }
    settle(plan, isAccepted: numbers.chance(0.85))
  }

  /// Carries the push out with APNs in a good mood.
  mutating func accept(_ plan: PushPlan) { settle(plan, isAccepted: true) }

  private mutating func settle(_ plan: PushPlan, isAccepted: Bool) {
    guard let index = view.orders.firstIndex(where: { $0.id == plan.order }) else { return }
    view.budget = view.budget.debited(
      by: plan, now: now, installation: view.installation, settings: policy.settings)
    if let ring = plan.ring { view.orders[index].rung.insert(ring) }
    now = now.advanced(by: Double.random(in: 0.01...0.5, using: &numbers))
    switch plan.event {
    case .start: started(plan, index, isAccepted: isAccepted)
    case .update, .end: told(plan, index, isAccepted: isAccepted)
    case .wakeApp: change(plan, index) { [now] in $0.wokenAt = now }
    case .alert: break
    }
  }

  private mutating func check(_ plan: PushPlan, of order: OrderView) {
    guard let desired = order.desired else { return broken.append("a push without anything to say") }
    if let ring = plan.ring, !rings.insert("\(order.id.text) \(desired.life) \(ring)").inserted {
      broken.append("\(ring) rang twice")
    }
    if plan.priority == 10, plan.event != .start, plan.event != .alert { urgent.append(now) }
    let capacity = view.installation.frequentPushesEnabled ? 20.0 : 10
    let lastHour = urgent.filter { now.since($0) < 3_600 }.count
    if Double(lastHour) > 2 * capacity { broken.append("\(lastHour) urgent pushes within an hour") }
    if plan.event == .start { checkStart(plan, of: order, desired) }
    if plan.expiration <= now { broken.append("\(plan.rule) expires before it is sent") }
  }

  private mutating func checkStart(_ plan: PushPlan, of order: OrderView, _ desired: Snapshot) {
    if desired.stage.isTerminal { broken.append("a finished order was started") }
    if order.suppressed { broken.append("a suppressed order was started") }
    if starts.contains(where: { $0.order == order.id && $0.generation == plan.generation }) {
      broken.append("generation \(plan.generation) was started twice")
    }
    if order.cards.contains(where: { $0.phase == .unconfirmed && now.since($0.startedAt) < 8 * 3_600 }) {
      broken.append("a start while another is unconfirmed")
    }
    starts.append((now, order.id, plan.generation))
    if starts.count(where: { now.since($0.time) < 3_600 }) > 3 { broken.append("over 3 starts an hour") }
    if starts.count(where: { now.since($0.time) < 86_400 }) > 8 { broken.append("over 8 starts a day") }
  }

  private mutating func started(_ plan: PushPlan, _ index: Int, isAccepted: Bool) {
    guard let desired = view.orders[index].desired else { return }
    var card = CardView(
      generation: plan.generation, phase: .unconfirmed, startedBy: .push, startedAt: now,
      attributesType: "DeliveryAttributes")
    card.life = desired.life
    if isAccepted { card.told = told(desired, plan) }
    view.orders[index].cards.append(card)
  }

  private mutating func told(_ plan: PushPlan, _ index: Int, isAccepted: Bool) {
    guard isAccepted, let desired = view.orders[index].desired else { return }
    let told = told(desired, plan)
    change(plan, index) { [now] card in
      card.told = told
      guard case .end = plan.event else { return }
      card.phase = .ending
      card.endsTold += 1
      card.endToldAt = now
    }
  }

  private func told(_ desired: Snapshot, _ plan: PushPlan) -> CardView.Told {
    CardView.Told(
      sequence: desired.sequence, life: desired.life, stage: desired.stage, arrival: desired.arrival,
      staleAt: plan.staleAt, at: now)
  }

  private mutating func change(_ plan: PushPlan, _ index: Int, _ body: (inout CardView) -> Void) {
    let cards = view.orders[index].cards
    guard let card = cards.firstIndex(where: { $0.generation == plan.generation }) else {
      if plan.event != .wakeApp { broken.append("\(plan.rule) went to no card") }
      return
    }
    body(&view.orders[index].cards[card])
  }

  // MARK: the world

  private mutating func happen() {
    let index = Int.random(in: view.orders.indices, using: &numbers)
    var order = view.orders[index]
    switch Int.random(in: 0..<10, using: &numbers) {
    case 0...4: advance(&order)
    case 5...7: confirm(&order)
    case 8: lose(&order)
    default: view.installation.activitiesEnabled = numbers.chance(0.9)
    }
    view.orders[index] = order
  }

  private mutating func advance(_ order: inout OrderView) {
    guard let desired = order.desired else { return }
    sequence += 1
    order.heardAt = now
    order.causeFreshUntil = now.advanced(by: 600)
    var next = PhoneScene.snapshot(desired.stage, sequence: sequence, life: desired.life)
    if desired.stage.isTerminal {
      guard numbers.chance(0.2) else { return }
      next.life += 1
      next.stage = .preparing
      order.rung = []
      order.finishedAt = nil
    } else if let stage = Stage.allCases.filter({ $0 > desired.stage }).randomElement(using: &numbers) {
      next.stage = numbers.chance(0.5) ? stage : desired.stage
      if next.stage.isTerminal { order.finishedAt = now }
    }
    order.desired = next
  }

  private mutating func confirm(_ order: inout OrderView) {
    for index in order.cards.indices where order.cards[index].phase == .unconfirmed {
      order.cards[index].phase = .active
      order.cards[index].updateToken = PhoneScene.token
      view.installation.pushToStartProven = true
    }
    if numbers.chance(0.3), let index = order.cards.indices.last {
      order.cards[index].known = order.cards[index].told?.sequence
      order.cards[index].knownAt = now
      if order.cards[index].phase == .ending { order.cards[index].phase = .ended }
    }
  }

  private mutating func lose(_ order: inout OrderView) {
    guard let index = order.cards.indices.last, order.cards[index].phase == .active else { return }
    order.cards[index].phase = .ended
    order.cards[index].updateToken = nil
    order.suppressed = true
  }
}
