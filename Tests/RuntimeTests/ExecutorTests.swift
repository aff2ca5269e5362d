import Glibc
import Runtime
import Testing

actor Counter {
  private let executor: any SerialExecutor
  private(set) var count = 0

  init(on executor: any SerialExecutor) { self.executor = executor }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ number: Int) { count += number }
  func threadID() -> pthread_t { pthread_self() }
}

@Suite struct ExecutorTests {
  @Test func anActorOnAThreadExecutorRunsOnItsThreadOnly() async {
    let executor = ThreadExecutor(name: "test-thread")
    let counter = Counter(on: executor)
    await fill(counter)
    let first = await counter.threadID()
    #expect(await counter.threadID() == first)
    executor.shutdown()
  }

  @Test func anActorOnAnEventLoopRunsOnItsThreadOnly() async throws {
    let loop = try EventLoop(name: "test-loop")
    let counter = Counter(on: loop)
    await fill(counter)
    let first = await counter.threadID()
    #expect(await counter.threadID() == first)
    loop.shutdown()
  }

  private func fill(_ counter: Counter) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { for number in 0..<100 { await counter.add(number) } } }
    }
    #expect(await counter.count == 20 * 4950)
  }

  @Test func shutdownRunsWhatWasHandedOver() throws {
    let loop = try EventLoop(name: "test-loop")
    let count = Lock(0)
    for _ in 0..<1000 { loop.execute { count.withLock { $0 += 1 } } }
    loop.shutdown()
    #expect(count.withLock { $0 } == 1000)
  }
}
