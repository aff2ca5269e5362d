import Codecs
import Domain

/// The second half of the line: makes phones agree with the rows (docs/delivery-semantics.md 3).
///
/// One instance owns a group of shards and keeps their queue in memory. A turn settles what APNs answered, reads the
/// phones that are due, lets the policy choose, reserves durably and hands the pushes over; it never waits for APNs.
public actor Dispatcher {
  let store: any DispatchStore
  let gateway: any PushGateway
  let inbox: any DispatchInbox
  let clock: any Clock
  let observer: any ServiceObserver
  let policy: DispatchPolicy
  let shaper: PushShaper
  let settings: DispatchSettings

  var leases: [Int32: ShardLease] = [:]
  /// Phones to look at when the clock says so.
  var due = DueQueue<InstallationID>()
  /// News not yet looked at.
  var woken = Wakes()
  /// Phones that the sweep named: work found there only is counted.
  var swept: Set<InstallationID> = []
  var inFlight: [UInt64: InFlight] = [:]
  var busy: Set<InstallationID> = []
  /// Busy phones whose push failed: after settling they wait for their time in `due`.
  var resting: Set<InstallationID> = []
  /// Answers whose rows are not written yet; kept until the database takes them.
  var unsettled: [Settlement] = []
  var nextTicket: UInt64 = 1
  var isDraining = false

  public init(
    store: any DispatchStore, gateway: any PushGateway, inbox: any DispatchInbox, clock: any Clock,
    policy: DispatchPolicy, payloads: PayloadBuilder, settings: DispatchSettings,
    observer: any ServiceObserver = SilentObserver()
  ) {
    self.store = store
    self.gateway = gateway
    self.inbox = inbox
    self.clock = clock
    self.policy = policy
    self.settings = settings
    self.observer = observer
    shaper = PushShaper(payloads: payloads, deadlineSeconds: settings.pushDeadlineSeconds)
  }

  /// Takes the shards, looks at all their live phones once, then turns until the task is cancelled or `drain` is done.
  public func run(shards: [Int32], owner: String) async throws {
    var backoff = Backoff(firstSeconds: settings.retryFirstSeconds, maxSeconds: settings.retryMaxSeconds)
    var nextSweep = clock.monotonic()
    while !Task.isCancelled && !(isDraining && inFlight.isEmpty && unsettled.isEmpty) {
      observer.turned(.dispatch)
      do {
        if leases.isEmpty { try await take(shards, owner: owner) }
        if clock.monotonic() >= nextSweep && !isDraining {
          try await sweep(shards)
          nextSweep = clock.monotonic() + settings.sweepSeconds
        }
        try await turn()
        backoff = Backoff(firstSeconds: settings.retryFirstSeconds, maxSeconds: settings.retryMaxSeconds)
        await inbox.wait(until: nextWake(sweepIn: nextSweep - clock.monotonic()))
      } catch let error as StoreUnavailable {
        observer.storeRetry("dispatch", reason: error.reason)
        await clock.pause(seconds: backoff.next())
      }
    }
  }

  /// No new reservations from here on; `run` returns when everything in flight is answered and settled.
  public func drain() {
    isDraining = true
    inbox.wake(Wakes())
  }

  /// Takes the shards over; `run` does it by itself, a simulation turns by hand.
  public func take(_ shards: [Int32], owner: String) async throws {
    for lease in try await store.take(shards: shards, owner: owner) { leases[lease.shard] = lease }
  }

  /// The net under lost wake-ups (rule 3.4), and the way the queue is rebuilt after a take-over.
  public func sweep(_ shards: [Int32]) async throws {
    var last: InstallationID?
    while true {
      let page = try await store.livePhones(shards: shards, after: last, limit: settings.sweepPagePhones)
      for phone in page where !busy.contains(phone) { swept.insert(phone) }
      guard page.count == settings.sweepPagePhones else { return }
      last = page.last
    }
  }

  private func nextWake(sweepIn seconds: Double) -> Instant {
    let hasNews = !woken.isEmpty || !swept.isEmpty || !unsettled.isEmpty
    let latest = clock.instant(afterSeconds: hasNews ? settings.idleTurnSeconds : max(seconds, 0))
    return min(due.next ?? latest, latest)
  }
}

/// A push handed over and not answered yet.
struct InFlight: Sendable {
  var request: ReservationRequest
  var environment: PushEnvironment
  var token: PushToken
  /// Timestamp of the Kafka record that made it due.
  var causeRecordAt: Instant?
}

/// Limits of the dispatcher; names carry the unit.
public struct DispatchSettings: Sendable {
  public var batchPhonesMax = 500
  public var pushDeadlineSeconds = 5.0
  /// At least three push deadlines (rule 3.2).
  public var reservationSeconds = 20.0
  public var sweepSeconds = 30.0
  public var sweepPagePhones = 2_000
  /// How soon to try again what found no free stream.
  public var idleTurnSeconds = 0.05
  /// Before a phone's next try after a push that got no answer or never left.
  public var retryPushSeconds = 1.0
  public var retryFirstSeconds = 0.1
  public var retryMaxSeconds = 5.0
  /// What may be pushed at all; asked anew for each push.
  public var rollout: any RolloutSource = FixedRollout()

  public init() {}
}
