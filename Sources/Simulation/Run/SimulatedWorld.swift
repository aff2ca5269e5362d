import APNsSimulator
import Codecs
import Domain
import Service

/// The whole line in virtual time: the real use cases over the stores in memory, the strict Apple and its phones behind
/// them, and the oracle beside. Everything fails now and then; one seed decides all of it.
final class SimulatedWorld {
  static let start = Instant(seconds: 1_800_000_000)
  /// After the script the world has so long to come to rest, without new faults, seconds.
  private static let calmSeconds = 400.0
  private static let sweepSeconds = 30.0
  /// Between two crashes at least, seconds: one recovery at a time.
  private static let crashApartSeconds = 300.0
  private static let turnsMax = 200

  private let clock = ManualClock(start)
  private let luck: Luck
  private let world: World
  private let store: MemoryStore
  private let audit: Audit
  private let gateway: PhoneGateway
  private let script: WorldScript
  private var next = 0
  private var topics = [Topic("orders"), Topic("riders")]
  private var service: RunningService
  private var nextSweep = start
  private var downUntil: Instant?
  private var lastCrash = start

  init(seed: UInt64, orders: Int, withinSeconds: Double, token: ProviderTokenSource, settings: World.Settings) throws {
    luck = Luck(seed: seed)
    let now = Moment(micros: Self.start.microseconds)
    world = World(settings: settings, log: TruthLog(), now: now, real: now)
    let pem = Array(try token.key.pem().utf8)
    if let key = ProviderKey(id: ProviderTokenSource.keyID, teamID: settings.teamID, privateKeyPEM: pem) {
      world.accept(key)
    }
    store = MemoryStore(clock: clock)
    audit = Audit(clock: clock, settings: PolicySettings())
    gateway = PhoneGateway(world: world, clock: clock, luck: luck, token: token)
    script = WorldScript(orders: orders, withinSeconds: withinSeconds, start: Self.start, luck: luck)
    service = RunningService(
      life: Incarnation(stepsToLive: nil), store: store, gateway: gateway, clock: clock, luck: luck, audit: audit)
  }

  /// Plays the script to its end and lets the world come to rest.
  func play() async throws -> WorldOutcome {
    try await service.start()
    try world.switchOn(script.phones)
    let calmFrom = Self.start.advanced(by: script.length)
    let end = calmFrom.advanced(by: Self.calmSeconds)
    while clock.now() < end, !audit.isHopeless {
      if clock.now() >= calmFrom { luck.isCalm = true }
      try await turn()
      await move(to: end)
    }
    audit.close(await store.endingCards())
    return WorldOutcome(figures: world.finish(), audit: audit, faults: luck.tally)
  }

  // MARK: time

  /// To whatever comes first: the script, a phone's timer, an answer, a restart, or what the service waits for.
  private func move(to end: Instant) async {
    var target = end
    if next < script.steps.count { target = min(target, Self.start.advanced(by: script.steps[next].at)) }
    if let timer = world.nextTimer { target = min(target, Instant(microseconds: timer.micros)) }
    if let answer = gateway.nextAnswer { target = min(target, answer) }
    if let downUntil {
      target = min(target, downUntil)
    } else {
      if let wait = await service.nextLook() { target = min(target, wait) }
      target = min(target, nextSweep)
    }
    clock.advance(by: max(target.since(clock.now()), 0.001))
    advanceWorld()
  }

  /// A pause of the service may have moved the clock as well.
  private func advanceWorld() {
    let now = Moment(micros: clock.now().microseconds)
    world.advance(to: now, real: now)
    gateway.deliver()
  }

  // MARK: one turn

  private func turn() async throws {
    try followScript()
    try await restartIfDue()
    guard downUntil == nil else {
      refusePhones()
      return
    }
    try await answerPhones()
    try await consume()
    if clock.now() >= nextSweep {
      nextSweep = clock.now().advanced(by: Self.sweepSeconds)
      try await service.sweep()
    }
    for _ in 0..<Self.turnsMax where !service.life.isDead {
      try await service.turn()
      try await answerPhones()
      if await service.isIdle() { break }
    }
    advanceWorld()
    if service.life.isDead { goDown() }
  }

  private func followScript() throws {
    while next < script.steps.count, Self.start.advanced(by: script.steps[next].at) <= clock.now() {
      switch script.steps[next].step {
      case .checkout(let order): try world.place([order])
      case .action(let action): try world.act([action])
      case .publish(_, let value):
        let bytes = Array(value.utf8)
        let now = Moment(micros: clock.now().microseconds)
        if let event = PublishedEvent(at: now, real: now, topic: "orders", value: bytes) { world.heard([event]) }
        topics[0].append(bytes, at: clock.now())
      case .position(_, let value): topics[1].append(Array(value.utf8), at: clock.now())
      }
      next += 1
    }
  }

  private func consume() async throws {
    guard topics.contains(where: { !$0.isRead }) else { return try await service.refresh() }
    planCrash()
    var batch = RecordBatch(records: topics.indices.flatMap { topics[$0].read() })
    for topic in topics { batch.behindSeconds[topic.place] = 0 }
    try await service.ingest(batch)
    try await service.refresh()
  }

  // MARK: crashes

  private func planCrash() {
    guard clock.now().since(lastCrash) >= Self.crashApartSeconds, luck.strikes(.crashed, 0.01) else { return }
    lastCrash = clock.now()
    service.life.end(afterSteps: luck.below(30))
  }

  private func goDown() { downUntil = clock.now().advanced(by: luck.between(0.2, 8)) }

  /// A new process takes over: it reads on from the offsets that the database holds, or from a little before.
  private func restartIfDue() async throws {
    guard let until = downUntil, until <= clock.now() else { return }
    downUntil = nil
    service = RunningService(
      life: Incarnation(stepsToLive: nil), store: store, gateway: gateway, clock: clock, luck: luck, audit: audit)
    let offsets = try await store.nextOffsets()
    for index in topics.indices {
      var offset = offsets[topics[index].place] ?? 0
      if luck.strikes(.recordRedelivered, 0.5) { offset -= Int64(luck.below(20)) }
      topics[index].seek(offset)
    }
    try await service.start()
    nextSweep = clock.now()
  }

  // MARK: phones

  private func answerPhones() async throws {
    while true {
      let calls = world.takeCalls()
      if calls.isEmpty { return }
      for call in calls {
        let answer = try await service.registry.answer(call)
        let isLost = service.life.isDead
        world.answered(phone: call.phone, status: isLost ? 0 : answer.status, body: isLost ? [] : answer.body)
      }
    }
  }

  private func refusePhones() {
    for call in world.takeCalls() { world.answered(phone: call.phone, status: 0, body: []) }
  }
}

/// What became of one world.
struct WorldOutcome {
  var figures: Figures
  var audit: Audit
  var faults: FaultTally
}
