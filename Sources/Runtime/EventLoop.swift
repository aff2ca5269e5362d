import CSystem
import Glibc

/// Takes the events of a descriptor. All calls come on the loop's thread.
public protocol EventLoopHandler: AnyObject {
  /// The registered descriptor is ready.
  func ready(_ events: EventLoop.Events)
  /// The turn ends; called once after each `EventLoop.atTurnEnd`. The place to flush what the turn has gathered.
  func turnEnded()
}

extension EventLoopHandler {
  public func turnEnded() {}
}

/// A thread that waits on descriptors, timers and work from other threads (epoll and eventfd).
///
/// It is the serial executor of the actors that live on it. A turn is: ready descriptors, due timers, work, turn ends.
/// Everything but `execute`, `enqueue` and `shutdown` must be called on the loop's thread.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// What a descriptor is waited for, or is ready for. Errors and hang-ups arrive as `.read` and `.write`.
  public struct Events: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let read = Events(rawValue: 1)
    public static let write = Events(rawValue: 2)
  }

  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var sleeping = false
    var stopping = false
  }

  private struct Registration {
    var handler: any EventLoopHandler
    var generation: UInt32
  }

  /// Work and turn ends that bring forth more are run in the same turn, so many times over, before descriptors are
  /// looked at again.
  private static let roundsPerTurn = 8
  private static let eventsPerTurn = 256

  public let name: String
  private let epoll: Int32
  private let wakeUp: Int32
  private let inbox = Lock(Inbox())
  private let thread = Lock<SystemThread?>(nil)
  private var registrations: [Int32: Registration] = [:]
  private var lastGeneration: UInt32 = 0
  private var timers = TimerQueue<() -> Void>()
  private var turnEnds: [any EventLoopHandler] = []

  /// Starts the thread; `name` shows in `top -H`, 15 bytes of it are kept.
  public init(name: String) throws(SystemError) {
    self.name = name
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SystemError.last("epoll_create1") }
    wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard wakeUp >= 0 else {
      let error = SystemError.last("eventfd")
      close(epoll)
      throw error
    }
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(UInt32(bitPattern: wakeUp))))
    epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
    thread.withLock { $0 = SystemThread(name: name) { [self] in run() } }
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  // MARK: Descriptors

  /// Waits for `events` of a descriptor; the handler is kept until `remove`.
  public func add(_ descriptor: Int32, for events: Events, handler: any EventLoopHandler) throws(SystemError) {
    lastGeneration &+= 1
    registrations[descriptor] = Registration(handler: handler, generation: lastGeneration)
    guard control(EPOLL_CTL_ADD, descriptor, events, lastGeneration) else {
      let error = SystemError.last("epoll_ctl add")
      registrations[descriptor] = nil
      throw error
    }
  }

  /// Changes what a registered descriptor is waited for; an empty set leaves only errors and hang-ups.
  public func modify(_ descriptor: Int32, for events: Events) {
    guard let registration = registrations[descriptor] else { return }
    _ = control(EPOLL_CTL_MOD, descriptor, events, registration.generation)
  }

  /// Forgets the descriptor; call before closing it. Events of this turn that are still to come are dropped.
  public func remove(_ descriptor: Int32) {
    guard registrations.removeValue(forKey: descriptor) != nil else { return }
    _ = control(EPOLL_CTL_DEL, descriptor, [], 0)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ events: Events, _ generation: UInt32) -> Bool {
    var mask: UInt32 = 0
    if events.contains(.read) { mask |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
    if events.contains(.write) { mask |= EPOLLOUT.rawValue }
    let tag = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    var event = epoll_event(events: mask, data: epoll_data_t(u64: tag))
    return epoll_ctl(epoll, operation, descriptor, &event) == 0
  }

  // MARK: Timers and turn ends

  /// Runs `action` once on the loop after so many seconds of real time.
  @discardableResult
  public func schedule(afterSeconds seconds: Double, _ action: @escaping () -> Void) -> TimerID {
    timers.add(at: MonotonicClock.now + seconds, action)
  }

  public func cancel(_ timer: TimerID) {
    timers.cancel(timer)
  }

  /// Calls the handler's `turnEnded` once, at the end of this turn; also from inside a `turnEnded`.
  public func atTurnEnd(_ handler: any EventLoopHandler) {
    turnEnds.append(handler)
  }

  // MARK: Work from other threads

  /// Runs the closure on the loop, after the work handed over before it. Safe on any thread.
  public func execute(_ closure: @escaping @Sendable () -> Void) { hand(over: .closure(closure)) }

  public func enqueue(_ job: consuming ExecutorJob) { hand(over: .job(UnownedJob(job))) }

  private func hand(over work: Work) {
    let wake = inbox.withLock { inbox -> Bool in
      inbox.work.append(work)
      defer { inbox.sleeping = false }
      return inbox.sleeping
    }
    if wake { ring() }
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Whether the caller runs on the loop's thread.
  public var isCurrent: Bool { thread.withLock { $0?.isCurrent ?? false } }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  public func checkIsolated() { precondition(isCurrent, "this must run on the event loop \(name)") }

  /// Runs the work handed over so far, ends the thread and waits for that. Later work never runs: shut down last.
  public func shutdown() {
    let first = inbox.withLock { inbox -> Bool in
      defer { inbox.stopping = true }
      return !inbox.stopping
    }
    ring()
    guard first, let thread = thread.withLock({ $0 }) else { return }
    if thread.isCurrent { thread.detach() } else { thread.join() }
  }

  // MARK: The turn

  private func run() {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
      var stopping = false
      while !stopping {
        let count = epoll_wait(epoll, events.baseAddress, Int32(Self.eventsPerTurn), sleepMilliseconds())
        for index in 0..<max(0, Int(count)) { deliver(events[index]) }
        runTimers()
        stopping = runWork()
        endTurn()
      }
    }
    registrations.removeAll()
  }

  /// How long epoll may sleep: not at all with work at hand, up to the next timer, else for ever (-1).
  private func sleepMilliseconds() -> Int32 {
    let mayWait = inbox.withLock { inbox -> Bool in
      inbox.sleeping = inbox.work.isEmpty && !inbox.stopping
      return inbox.sleeping
    }
    guard mayWait, turnEnds.isEmpty else { return 0 }
    guard let next = timers.nextTime else { return -1 }
    return Int32(min(max((next - MonotonicClock.now) * 1000, 0).rounded(.up), 3_600_000))
  }

  private func deliver(_ event: epoll_event) {
    let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: event.data.u64))
    if descriptor == wakeUp {
      var count: UInt64 = 0
      _ = read(wakeUp, &count, 8)
      return
    }
    guard let registration = registrations[descriptor],
      registration.generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32)
    else { return }
    var ready: Events = []
    let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue
    if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | broken) != 0 { ready.insert(.read) }
    if event.events & (EPOLLOUT.rawValue | broken) != 0 { ready.insert(.write) }
    registration.handler.ready(ready)
  }

  private func runTimers() {
    guard let next = timers.nextTime else { return }
    let now = MonotonicClock.now
    guard next <= now else { return }
    while let action = timers.popDue(now: now) { action() }
  }

  /// True when the loop is to stop and nothing is left to run.
  private func runWork() -> Bool {
    var batch: [Work] = []
    for _ in 0..<Self.roundsPerTurn {
      let stop = inbox.withLock { inbox -> Bool in
        inbox.sleeping = false
        swap(&batch, &inbox.work)
        return inbox.stopping
      }
      if batch.isEmpty { return stop }
      for work in batch {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
      }
      batch.removeAll(keepingCapacity: true)
    }
    return false
  }

  private func endTurn() {
    for _ in 0..<Self.roundsPerTurn where !turnEnds.isEmpty {
      let ending = turnEnds
      turnEnds.removeAll(keepingCapacity: true)
      for handler in ending { handler.turnEnded() }
    }
  }
}
