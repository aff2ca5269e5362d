import Glibc
import Runtime
import Testing

@Suite struct ProcessSignalsTests {
  @Test func aSignalReachesTheHandler() async throws {
    let seen = Lock<[ProcessSignal]>([])
    let arrived = TimedSignal()
    try ProcessSignals.watch([.hangUp]) { signal in
      seen.withLock { $0.append(signal) }
      arrived.raise()
    }
    kill(getpid(), SIGHUP)
    await arrived.wait(seconds: 10)
    #expect(seen.withLock { $0 } == [.hangUp])
  }
}
