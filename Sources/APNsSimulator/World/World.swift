/// Apple and the phones as one machine without sockets, threads or clocks: whoever drives it hands in requests,
/// answers and the time, and carries out the calls it makes. Under a virtual clock it serves a simulation, under a
/// scaled one a demo. Not thread-safe: one driver at a time.
public final class World {
  public struct Settings: Sendable {
    public var seed: UInt64 = 1
    public var bundles: Set<String> = ["com.example.delivery"]
    public var teamID = "DOORSTEP00"
    public var isStrict = true
    /// Which spelling of the wrong-environment reason is answered: the documented one, or the one seen on the wire.
    public var documentsEnvironmentReason = true
    public var limits = ProviderConnection.Limits()
    /// Length of card time during which a new truth need not have been told yet.
    public var grace = Span.seconds(1)

    public init() {}
  }

  let settings: Settings
  var frontEnd = FrontEnd()
  var phones: [Phone] = []
  var byInstallation: [String: Int] = [:]
  var byUser: [String: [Int]] = [:]
  /// Orders of each user that were placed.
  var ordersByUser: [String: [String]] = [:]
  var faults: [(id: String, fault: Fault)] = []
  var faultsMade = 0
  private var behaviours: [Behaviour: SharedBehaviour] = [:]
  var channels = ChannelDirectory()
  private(set) var now: Moment
  private(set) var real: Moment
  private var agenda = Agenda<(phone: Int, event: PhoneEvent)>()
  private var calls: [RegistryCall] = []
  var random: SeededRandom
  private var cardsMade = 0
  var pushesSeen = 0
  public let log: TruthLog

  public init(settings: Settings, log: TruthLog, now: Moment, real: Moment) {
    self.settings = settings
    self.log = log
    self.now = now
    self.real = real
    random = SeededRandom(seed: settings.seed)
    frontEnd.isStrict = settings.isStrict
    if !settings.documentsEnvironmentReason { frontEnd.environmentReason = .badEnvironmentKey }
    frontEnd.apps[settings.teamID] = settings.bundles
    var first = TruthRecord(.clock)
    first.number = settings.grace.micros
    write(first)
  }

  /// When `advance` has something to do next.
  public var nextTimer: Moment? { agenda.next }

  /// Moves time on; whatever is due happens at its own time, in order.
  public func advance(to now: Moment, real: Moment) {
    while let due = agenda.take(dueAt: now) {
      self.now = max(self.now, due.at)
      tell(due.item.phone, due.item.event)
    }
    self.now = max(self.now, now)
    self.real = max(self.real, real)
  }

  /// Requests of the phones since the last time; each must be answered once by `answered`.
  public func takeCalls() -> [RegistryCall] {
    defer { calls.removeAll() }
    return calls
  }

  /// `status` 0: no answer came.
  public func answered(phone: Int, status: Int, body: [UInt8]) {
    guard phones.indices.contains(phone) else { return }
    tell(phone, .answered(status: status, body: body))
  }

  func makePhone(_ spec: PhoneSpec) -> Phone {
    let behaviour = behaviours[spec.behaviour] ?? SharedBehaviour(spec.behaviour)
    behaviours[spec.behaviour] = behaviour
    return Phone(index: phones.count, spec: spec, behaviour: behaviour)
  }

  func tell(_ index: Int, _ event: PhoneEvent) {
    with(index) { phone, hands in phone.handle(event, &hands) }
  }

  func with(_ index: Int, _ body: (Phone, inout Hands) -> Void) {
    let phone = phones[index]
    var hands = Hands(now: now, random: random, nextCard: cardsMade)
    body(phone, &hands)
    random = hands.random
    cardsMade = hands.nextCard
    for effect in hands.effects { carryOut(effect, of: phone) }
  }

  func later(_ delay: Span, _ index: Int, _ event: PhoneEvent) {
    agenda.add((index, event), at: now + delay)
  }

  func write(_ record: TruthRecord) {
    var stamped = record
    stamped.at = now
    stamped.real = real
    log.write(stamped)
  }

  private func carryOut(_ effect: PhoneEffect, of phone: Phone) {
    switch effect {
    case .later(let moment, let event): agenda.add((phone.index, event), at: moment)
    case .call(let upload):
      calls.append(
        RegistryCall(
          phone: phone.index, method: upload.method, path: upload.path, body: upload.body,
          credential: phone.app.credential))
    case .issue(let token, let kind):
      frontEnd.tokens.add(
        token,
        TokenDirectory.Entry(phone: phone.index, kind: kind, environment: phone.environment, bundle: phone.bundle))
    case .retire(let token, let atOnce):
      let notice = atOnce ? Span.zero : .seconds(phone.behaviour.afterlifeSeconds)
      frontEnd.tokens.kill(
        token, .init(at: now, noticedAt: now + notice, afterlife: phone.behaviour.afterlife))
    case .write(let record): write(record)
    case .userChanged(let former): moved(phone, from: former)
    }
  }
}
