import Glibc

/// One thread that runs jobs in the order they came: the executor of actors that call blocking C libraries.
public final class ThreadExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private let condition = Condition()
  private var jobs: [UnownedJob] = []
  private var sleeping = false
  private var stopping = false
  private var thread: SystemThread?

  public let name: String

  /// Starts the thread; `name` shows in `top -H`, 15 bytes of it are kept.
  public init(name: String) {
    self.name = name
    condition.lock()
    thread = SystemThread(name: name) { [self] in run() }
    condition.unlock()
  }

  private func run() {
    var batch: [UnownedJob] = []
    while waitForJobs(&batch) {
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
      batch.removeAll(keepingCapacity: true)
    }
  }

  /// False once stopped with nothing left to run.
  private func waitForJobs(_ batch: inout [UnownedJob]) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty && !stopping {
      sleeping = true
      condition.wait()
      sleeping = false
    }
    swap(&batch, &jobs)
    return !batch.isEmpty
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    condition.lock()
    jobs.append(unowned)
    if sleeping { condition.signal() }
    condition.unlock()
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  public func isIsolatingCurrentContext() -> Bool? { thread?.isCurrent ?? false }

  public func checkIsolated() {
    precondition(thread?.isCurrent ?? false, "this must run on the thread of the executor \(name)")
  }

  /// Runs what was enqueued, ends the thread and waits for that. Jobs enqueued later never run: shut down last.
  public func shutdown() {
    condition.lock()
    let first = !stopping
    stopping = true
    condition.signal()
    condition.unlock()
    guard first, let thread else { return }
    if thread.isCurrent { thread.detach() } else { thread.join() }
  }
}
