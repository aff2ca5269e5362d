import APNsSimulator
import Domain

/// What happens in one world: phones, orders, events as the platform publishes them, and what users do.
struct WorldScript {
  enum Step {
    case publish(order: String, value: String)
    case position(rider: String, value: String)
    case checkout(OrderSpec)
    case action(ActionSpec)
  }

  private(set) var phones: [PhoneSpec] = []
  private(set) var steps: [(at: Double, step: Step)] = []
  private let start: Instant

  private static let ordersPerGuest = 10

  /// So many orders, placed within so many seconds.
  init(orders: Int, withinSeconds: Double, start: Instant, luck: Luck) {
    self.start = start
    for number in 0..<orders { add(number, at: luck.between(30, 30 + withinSeconds), luck) }
    steps.sort { $0.at < $1.at }
  }

  /// Seconds of the last step.
  var length: Double { steps.last?.at ?? 0 }

  private mutating func add(_ number: Int, at placedAt: Double, _ luck: Luck) {
    // Some order again and again: limits and budgets are the phone's.
    let owner = number > 0 && luck.happens(0.25) ? number - 1 - (number - 1) % Self.ordersPerGuest : number
    let (order, user, phone) = ("o-\(number)", "u-\(owner)", "i-\(owner)")
    let kind = OrderLife.kind(luck)
    if !phones.contains(where: { $0.installation == phone }) {
      addPhone(phone, user, luck)
      if luck.happens(0.15) { addPhone("\(phone)-second", user, luck) }
    }
    let isFromApp = luck.happens(0.6)
    let checkout = OrderSpec(order: order, user: user, store: "North", placedBy: isFromApp ? phone : nil)
    steps.append((placedAt - 0.5, .checkout(checkout)))
    let placed = placedData(kind, user: user, placedBy: isFromApp ? phone : nil, at: placedAt)
    let life = OrderLife(kind, rider: "r-\(number)", placed: placed, luck)
    addEvents(of: life, order, from: placedAt, luck)
    addPositions(of: life, from: placedAt, luck)
    addDeeds(on: phone, order, from: placedAt, over: life.length, luck)
  }

  private mutating func addPhone(_ installation: String, _ user: String, _ luck: Luck) {
    var spec = PhoneSpec(installation: installation, user: user)
    let names = Behaviour.presets.keys.sorted()
    if luck.happens(0.5), let preset = Behaviour.presets[luck.choice(names)] { spec.behaviour = preset }
    phones.append(spec)
  }

  private func placedData(_ kind: OrderLife.Kind, user: String, placedBy: String?, at seconds: Double) -> String {
    let placing = placedBy.map { #","placedByInstallationId":"\#($0)""# } ?? ""
    let pickup = kind == .pickup ? #","kind":"pickup""# : ""
    var window = ""
    if kind == .scheduled {
      let from = time(seconds + OrderLife.scheduledAfter + 600)
      window = #","scheduledWindow":["\#(from)","\#(time(seconds + OrderLife.scheduledAfter + 2_400))"]"#
    }
    return #"{"userId":"\#(user)","store":{"id":"s","name":"North","location":\#(Self.place(0))},"#
      + #""destination":{"location":\#(Self.place(1))}\#(placing)\#(pickup)\#(window)}"#
  }

  // MARK: events

  private mutating func addEvents(of life: OrderLife, _ order: String, from start: Double, _ luck: Luck) {
    let skew = luck.strikes(.clockSkewed, 0.05) ? luck.between(-300, 360) : 0
    var sequence = 0
    for event in life.events {
      sequence += 1
      let value = self.event("order.\(event.type)", order, sequence, at: start + event.after + skew, event.data)
      var at = start + event.after
      if luck.strikes(.eventDelayed, 0.03) { at += luck.between(1, 40) }
      // Later events of the order overtake it.
      if event.after > 0, luck.strikes(.eventReordered, 0.02) { at += luck.between(60, 400) }
      steps.append((at, .publish(order: order, value: value)))
      if luck.strikes(.eventDuplicated, 0.05) {
        steps.append((at + luck.between(0, 300), .publish(order: order, value: value)))
      }
    }
  }

  private mutating func addPositions(of life: OrderLife, from start: Double, _ luck: Luck) {
    guard let ride = life.ride else { return }
    let rider = life.kind == .reassigned ? "\(life.rider)-b" : life.rider
    var after = ride.lowerBound
    while after < ride.upperBound {
      let share = (after - ride.lowerBound) / (ride.upperBound - ride.lowerBound)
      if !luck.strikes(.positionLost, 0.02) {
        let data = #"{"location":\#(Self.place(share)),"accuracyMeters":8}"#
        let value = event("rider.location", rider, nil, at: start + after, data)
        steps.append((start + after, .position(rider: rider, value: value)))
      }
      after += 5
    }
  }

  private func event(_ type: String, _ subject: String, _ sequence: Int?, at seconds: Double, _ data: String) -> String
  {
    let number = sequence.map { #","sequence":\#($0)"# } ?? ""
    return #"{"specversion":"1.0","id":"e-\#(subject)-\#(sequence ?? 0)","source":"/simulation","type":"\#(type)","#
      + #""subject":"\#(subject)","time":"\#(time(seconds))"\#(number),"data":\#(data)}"#
  }

  private func time(_ seconds: Double) -> String {
    Moment(micros: start.advanced(by: seconds).microseconds).rfc3339
  }

  /// About three kilometres from the store to the door.
  private static func place(_ share: Double) -> String {
    #"{"latitude":\#(31.23 + share * 0.027),"longitude":121.47}"#
  }

  // MARK: users

  private mutating func addDeeds(
    on phone: String, _ order: String, from start: Double, over length: Double, _ luck: Luck
  ) {
    let deeds: [(FaultKind, Double, PhoneAction)] = [
      (.offline, 0.1, .offline), (.rotated, 0.05, .rotateTokens), (.forceQuit, 0.03, .forceQuit),
      (.rebooted, 0.02, .reboot), (.opened, 0.1, .open), (.swiped, 0.03, .swipe),
    ]
    for (kind, probability, action) in deeds where luck.strikes(kind, probability) {
      let at = start + luck.between(0, max(length, 60))
      var deed = ActionSpec(installation: phone, action: action)
      deed.order = order
      steps.append((at, .action(deed)))
      guard action == .offline else { continue }
      steps.append((at + luck.between(20, 400), .action(ActionSpec(installation: phone, action: .online))))
    }
  }
}
