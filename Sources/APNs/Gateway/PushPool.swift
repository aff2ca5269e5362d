import Domain
import HTTP2
import Runtime
import Service

/// The connections of one signing key to one gateway, on a thread of their own. Everything but `send`, `credits` and
/// the calls that say so runs on the loop's thread.
final class PushPool: @unchecked Sendable {
  struct Settings: Sendable {
    var keyID: String
    var environment: PushEnvironment
    var connection: HTTP2ConnectionSettings
    var connectionsMin: Int
    var connectionsMax: Int
    var seed: UInt64
  }

  /// Why a new provider token is asked for.
  enum Renewal: Sendable { case expired, invalid }

  /// Pushes without a stream; a sender that keeps to its credits never comes near.
  static let waitingMax = 10_000
  static let repeatsMax = 3
  /// Dials in a row that fail before the circuit opens.
  static let dialFailuresMax = 3
  private static let busyTickSeconds = 0.1
  private static let idleTickSeconds = 1.0

  let settings: Settings
  let loop: EventLoop
  let credits = Credits()
  let observer: any APNsObserver
  /// Asks the keeper of the key for another provider token; the answer is `setProviderToken` or `keepProviderToken`.
  private let renew: @Sendable (Renewal, ProviderToken) -> Void
  /// Hands a push to the same app's other environment; false when there is none.
  let sendElsewhere: @Sendable (Push, any PushAnswerSink) -> Bool

  var pool: ConnectionPool
  var circuit: CircuitBreaker
  var connections: [ConnectionPool.ID: HTTP2Connection] = [:]
  var numbers: [ObjectIdentifier: ConnectionPool.ID] = [:]
  var parcels = ParcelTable()
  var waiting = ArraySlice<Int>()
  var lanes: [String: Lane] = [:]
  var outbox = Outbox()
  var random: SplitMix64
  private(set) var providerToken: ProviderToken?
  private(set) var tokenSerial = 0
  private var tokenIssuedAt = 0.0
  /// Nothing goes out while APNs has refused the token and the next one is not here yet.
  var isRenewing = false
  private var turnIsDue = false
  /// Why the circuit is open; nil while it is not.
  var openedBy: CircuitChange.Cause?
  private var tick: TimerID?
  private var tickAt = Double.infinity
  private(set) var isDraining = false
  private let drained = TimedSignal()
  private var countsTold = ConnectionCounts()
  private var streamsTold = 0

  init(
    _ settings: Settings, loop: EventLoop, observer: any APNsObserver,
    renew: @escaping @Sendable (Renewal, ProviderToken) -> Void,
    sendElsewhere: @escaping @Sendable (Push, any PushAnswerSink) -> Bool
  ) {
    self.settings = settings
    self.loop = loop
    self.observer = observer
    self.renew = renew
    self.sendElsewhere = sendElsewhere
    random = SplitMix64(seed: settings.seed)
    circuit = CircuitBreaker(seed: random.next())
    pool = ConnectionPool(
      connectionsMin: settings.connectionsMin, connectionsMax: settings.connectionsMax, seed: random.next())
  }

  // MARK: From other threads

  /// Opens the first connections. Safe on any thread.
  func open() {
    loop.execute { [self] in setNeedsTurn() }
  }

  /// Hands pushes over without waiting. Safe on any thread.
  func send(_ pushes: [Push], answersTo sink: any PushAnswerSink) {
    credits.handedOver(pushes.count)
    loop.execute { [self] in take(pushes, sink) }
  }

  /// Safe on any thread.
  func setProviderToken(_ token: ProviderToken, ageSeconds: Int64, replacesConnections: Bool) {
    loop.execute { [self] in useProviderToken(token, Double(ageSeconds), replacesConnections) }
  }

  /// The store gives no other token than the refused one. Safe on any thread.
  func keepProviderToken(cause: CircuitChange.Cause) {
    loop.execute { [self] in
      isRenewing = false
      trip(cause, reason: "")
      setNeedsTurn()
    }
  }

  /// Answers what has not left, waits for what is in flight, and closes. Safe on any thread.
  func drain() async {
    loop.execute { [self] in
      isDraining = true
      setNeedsTurn()
    }
    await drained.wait()
    loop.shutdown()
  }

  // MARK: Taking and placing

  private func take(_ pushes: [Push], _ sink: any PushAnswerSink) {
    credits.seen(pushes.count)
    let now = MonotonicClock.now
    for push in pushes {
      let parcel = Parcel(
        push: push, sink: sink, id: PushID(&random), handedAt: now, deadline: now + max(0, push.deadlineSeconds),
        lane: lane(of: push))
      if isDraining || waiting.count >= Self.waitingMax {
        settle(parcel, .notSent)
      } else {
        waiting.append(parcels.add(parcel))
      }
    }
    turn()
  }

  private func lane(of push: Push) -> Lane {
    if let lane = lanes[push.lane.bundleID] { return lane }
    let lane = Lane(push.lane, seed: random.next())
    if let providerToken { lane.requests.setProviderToken(providerToken.jwt) }
    lanes[push.lane.bundleID] = lane
    return lane
  }

  /// Has `turn` run once before the loop's turn ends.
  func setNeedsTurn() {
    guard !turnIsDue else { return }
    turnIsDue = true
    loop.execute { [self] in if turnIsDue { turn() } }
  }

  private func turn() {
    turnIsDue = false
    let now = MonotonicClock.now
    if isDraining { refuseWaiting(.notSent) }
    place(now: now)
    perform(pool.adjust(waiting: waiting.count, now: now))
    if isDraining && parcels.count == 0 { finishDraining() }
    deliverAnswers()
    publish(now: now)
    tickLater(now: now)
  }

  private func place(now: Double) {
    var allowed = circuit.allowance(capacity: pool.capacity, now: now)
    if circuit.isOpen, allowed == 0, !isRenewing { return refuseWaiting(nil) }
    guard providerToken != nil, !isRenewing else { return }
    allowed -= circuit.isOpen ? 0 : pool.inFlight
    while allowed > 0, let number = waiting.first {
      guard let parcel = parcels[number] else {
        waiting.removeFirst()
        continue
      }
      guard mayGo(parcel, now: now) else {
        waiting.removeFirst()
        finish(number, .retry(afterSeconds: lanePause(parcel.lane, now: now)))
        continue
      }
      guard let connection = pool.takeStream() else { return }
      guard submit(number, parcel, to: connection, now: now) else { continue }
      waiting.removeFirst()
      allowed -= 1
    }
  }

  private func mayGo(_ parcel: Parcel, now: Double) -> Bool {
    !parcel.lane.watch.circuit.isOpen || parcel.lane.watch.circuit.allowance(capacity: 1, now: now) > 0
  }

  private func submit(_ number: Int, _ parcel: Parcel, to id: ConnectionPool.ID, now: Double) -> Bool {
    let request = parcel.lane.requests.request(
      parcel.push, id: parcel.id, ticket: UInt64(number), deadline: parcel.deadline)
    guard let connection = connections[id], connection.submit(request) else {
      pool.returnStream(id)
      return false
    }
    let isProbe = circuit.sending(now: now)
    let isLaneProbe = parcel.lane.watch.circuit.sending(now: now)
    parcels.update(number) {
      $0.connection = id
      $0.tokenSerial = tokenSerial
      $0.isProbe = $0.isProbe || isProbe
      $0.isLaneProbe = $0.isLaneProbe || isLaneProbe
    }
    return true
  }

  // MARK: Provider token

  private func useProviderToken(_ token: ProviderToken, _ ageSeconds: Double, _ replacesConnections: Bool) {
    isRenewing = false
    tokenIssuedAt = MonotonicClock.now - ageSeconds
    guard token != providerToken else { return setNeedsTurn() }
    providerToken = token
    tokenSerial += 1
    for lane in lanes.values { lane.requests.setProviderToken(token.jwt) }
    circuit.probeNow(now: MonotonicClock.now)
    if replacesConnections { perform(pool.replaceAll()) }
    observer.providerToken(ageSeconds: ageSeconds, keyID: settings.keyID)
    setNeedsTurn()
  }

  func requestRenewal(_ cause: Renewal) {
    guard !isRenewing, let providerToken else { return }
    isRenewing = true
    renew(cause, providerToken)
  }

  // MARK: Turn

  private func deliverAnswers() {
    for (sink, answers) in outbox.takeAll() {
      observer.answered(answers, environment: settings.environment)
      sink.answered(answers)
    }
  }

  private func publish(now: Double) {
    var paused: [String: Int] = [:]
    for (bundleID, lane) in lanes where lane.watch.circuit.state != .closed {
      paused[bundleID] = lane.watch.circuit.allowance(capacity: pool.capacity, now: now)
    }
    var free = isDraining || isRenewing ? 0 : max(0, pool.free - waiting.count)
    if circuit.state != .closed {
      let allowed = circuit.allowance(capacity: pool.capacity, now: now) - (circuit.isOpen ? 0 : pool.inFlight)
      free = max(0, min(free, allowed - waiting.count))
    }
    credits.publish(free: free, lanes: paused)
    tellCounts()
  }

  private func tellCounts() {
    var counts = ConnectionCounts()
    for connection in pool.connections {
      switch connection.phase {
      case .connecting: counts.connecting += 1
      case .ready: counts.ready += 1
      case .draining: counts.draining += 1
      }
    }
    if counts != countsTold {
      countsTold = counts
      observer.connections(counts, keyID: settings.keyID, environment: settings.environment)
    }
    let streams = pool.inFlight
    if streams != streamsTold {
      streamsTold = streams
      observer.streams(streams, keyID: settings.keyID, environment: settings.environment)
    }
  }

  /// Looks again after a while: deadlines of what waits, probes, dials to repeat, load to follow.
  private func tickLater(now: Double) {
    let isBusy = !waiting.isEmpty || circuit.state != .closed || pool.failuresInRow > 0
    let next = now + (isBusy ? Self.busyTickSeconds : Self.idleTickSeconds)
    guard next < tickAt else { return }
    if let tick { loop.cancel(tick) }
    tickAt = next
    tick = loop.schedule(afterSeconds: next - now) { [weak self] in
      guard let self else { return }
      (tick, tickAt) = (nil, .infinity)
      if providerToken != nil {
        observer.providerToken(ageSeconds: MonotonicClock.now - tokenIssuedAt, keyID: settings.keyID)
      }
      expireWaiting(now: MonotonicClock.now)
      turn()
    }
  }

  private func finishDraining() {
    perform(pool.close())
    if connections.isEmpty { drained.raise() }
  }
}
