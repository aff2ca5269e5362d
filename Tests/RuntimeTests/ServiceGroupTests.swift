import Runtime
import Testing

private final class Part: ManagedService {
  enum Behaviour { case good, failsToStart, drainsNever }

  let name: String
  let behaviour: Behaviour
  let log: Lock<[String]>

  init(_ name: String, _ behaviour: Behaviour = .good, log: Lock<[String]>) {
    self.name = name
    self.behaviour = behaviour
    self.log = log
  }

  func start() async throws {
    if behaviour == .failsToStart { throw SystemError(call: name, code: 1) }
    log.withLock { $0.append("start \(name)") }
  }

  func drain() async {
    if behaviour == .drainsNever { await TimedSignal().wait() }
    log.withLock { $0.append("drain \(name)") }
  }
}

@Suite struct ServiceGroupTests {
  @Test func startsInOrderAndDrainsInReverse() async throws {
    let log = Lock<[String]>([])
    let group = ServiceGroup([Part("a", log: log), Part("b", log: log)])
    try await group.start(drainTimeoutSeconds: 1)
    #expect(await group.drain(timeoutSeconds: 10) == [])
    #expect(log.withLock { $0 } == ["start a", "start b", "drain b", "drain a"])
  }

  @Test func aFailedStartDrainsWhatHadStarted() async {
    let log = Lock<[String]>([])
    let group = ServiceGroup([Part("a", log: log), Part("b", .failsToStart, log: log), Part("c", log: log)])
    await #expect(throws: SystemError.self) { try await group.start(drainTimeoutSeconds: 10) }
    #expect(log.withLock { $0 } == ["start a", "drain a"])
  }

  @Test func aDrainPastTheDeadlineIsNamed() async {
    let log = Lock<[String]>([])
    let group = ServiceGroup([Part("a", log: log), Part("b", .drainsNever, log: log)])
    #expect(await group.drain(timeoutSeconds: 0.05).first == "b", "what ends only when cancelled was late")
  }
}
