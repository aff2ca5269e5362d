import Runtime
import Testing

@Suite struct TimedSignalTests {
  @Test func aRaiseBeforeTheWaitIsKeptAndFolded() async {
    let signal = TimedSignal()
    signal.raise()
    signal.raise()
    await signal.wait(seconds: 60)
    let start = MonotonicClock.now
    await signal.wait(seconds: 0.01)
    #expect(MonotonicClock.now - start >= 0.01, "the second raise must have folded into the first")
  }

  @Test func aRaiseWakesEveryWaiter() async {
    let signal = TimedSignal()
    let woken = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await signal.wait(seconds: 60)
          woken.withLock { $0 += 1 }
        }
      }
      group.addTask {
        while woken.withLock({ $0 }) < 20 {
          signal.raise()
          await Task.yield()
        }
      }
    }
    #expect(woken.withLock { $0 } == 20)
  }

  @Test func cancellationEndsTheWait() async {
    let signal = TimedSignal()
    for _ in 0..<200 {
      let task = Task { await signal.wait() }
      task.cancel()
      await task.value
    }
  }

  @Test func timeOutsComeInOrder() async {
    let order = Lock<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for (index, seconds) in [0.06, 0.03, 0.01].enumerated() {
        group.addTask {
          await TimedSignal().wait(seconds: seconds)
          order.withLock { $0.append(index) }
        }
      }
    }
    #expect(order.withLock { Set($0) } == [0, 1, 2])
  }
}
