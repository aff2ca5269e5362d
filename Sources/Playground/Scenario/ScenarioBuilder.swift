import APNsSimulator
import Domain

/// Adds orders to a scenario, one after the other.
struct ScenarioBuilder {
  let scale: Double
  private(set) var phones: [PhonePlan] = []
  private(set) var steps: [(at: Double, step: Scenario.Step)] = []

  /// Every fifth ordinary order is the second one of the customer before.
  private static let sharedCustomerStride = 5
  /// In the way of every so many orders stands a record that cannot be read.
  private static let badRecordStride = 10

  init(scale: Double) { self.scale = scale }

  mutating func add(order number: Int, trip: Trip, model: TripModel, until end: Double, random: inout SeededRandom) {
    let cases = SpecialCase.allCases
    let special = number <= cases.count ? cases[number - 1] : nil
    let life = Timeline(placed: 0, driveSeconds: trip.seconds, scale: scale, random: &random)
    // An order begins at any time at which it can still end within the stretch.
    let extra = (special == .returned ? 260 : 60) * scale
    let room = max(0, end - life.delivered - extra)
    let shares = special == nil && number % Self.sharedCustomerStride == 0
    let user = "u-\(shares ? number - 1 : number)"
    let fromApp = special.map { !Self.startsByPush.contains($0) } ?? (number % 5 < 3)
    let plan = OrderPlan(
      number: number, special: special, timeline: life.moved(by: 5 * scale + random.unit() * room), user: user,
      storeName: OrderPlan.storeNames[random.index(below: OrderPlan.storeNames.count)],
      placedBy: fromApp ? "phone-\(user)" : nil, trip: trip,
      riderName: OrderPlan.riderNames[random.index(below: OrderPlan.riderNames.count)], rider: "r-\(number)",
      promisedAfter: (life.delivered + random.uniform(-300...1_200) * scale))
    if !shares { addPhones(of: plan) }
    addSteps(of: plan, model: model, random: &random)
  }

  /// Cases whose order comes from the web, so that its card needs a push start.
  private static let startsByPush: Set<SpecialCase> = [.noPushToStart, .activitiesOff, .neverAllows, .reboot]

  private mutating func addPhones(of plan: OrderPlan) {
    var phone = PhonePlan(installation: plan.phone, user: plan.user)
    switch plan.special {
    case .noPushToStart: phone.os = "17.1"
    case .activitiesOff: phone.behaviour = "activitiesOff"
    case .notificationsOff: phone.behaviour = "notificationsOff"
    case .neverAllows: phone.behaviour = "neverAllows"
    case .rotation: phone.behaviour = "rotates"
    case .opensApp: phone.behaviour = "opensOften"
    case .repeatsUploads: phone.behaviour = "repeatsUploads"
    case .batches: phone.behaviour = "batches"
    case .reorders: phone.behaviour = "reorders"
    case .oldBuild: phone.os = "16.4"
    default: break
    }
    phones.append(phone)
    if plan.special == .twoPhones {
      phones.append(PhonePlan(installation: plan.phone + "-tablet", user: plan.user))
    }
  }

  private mutating func addSteps(of plan: OrderPlan, model: TripModel, random: inout SeededRandom) {
    let checkout = Checkout(order: plan.id, user: plan.user, store: plan.storeName, placedBy: plan.placedBy)
    // The phone knows of the order a moment before the platform publishes it.
    steps.append((plan.timeline.placed - 1, .checkout(checkout)))
    var events = Dirt.strew(over: plan.events(), scale: scale, random: &random)
    if plan.special != .pickup, plan.special != .cancelled {
      events += RiderPositions(plan: plan, model: model).events(random: &random)
    }
    steps += events.map { ($0.publishedAt, .event($0)) }
    if plan.number.isMultiple(of: Self.badRecordStride) {
      let record = BadRecord(number: plan.number / Self.badRecordStride, order: plan.id)
      steps.append((plan.timeline.pickedUp, .badRecord(record)))
    }
    steps += PhoneStory(plan: plan).actions.map { ($0.at, .action($0.action)) }
  }
}
