import CSystem
import Glibc

/// One named operating-system thread that runs a body once.
///
/// Blocking C calls and loops live on such threads, never on the cooperative pool. On them a write to a closed
/// socket fails with EPIPE; there is no SIGPIPE.
public struct SystemThread: @unchecked Sendable {
  private let handle: pthread_t

  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts the thread. `name` shows in `top -H` and debuggers; 15 bytes of it are kept.
  ///
  /// A process that cannot start a thread cannot do its work: it stops here with the system's reason.
  public init(name: String, body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        csystem_name_thread(start.name)
        ProcessSignals.blockBrokenPipes()
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      fatalError("cannot start thread \(name): \(SystemError.text(code)); raise the limit of threads or free memory")
    }
    handle = thread
  }

  /// Whether the caller runs on this thread.
  public var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

  /// Waits for the body to end. Call it, or `detach`, exactly once.
  public func join() { pthread_join(handle, nil) }

  /// Lets the thread go: nobody will join it.
  public func detach() { pthread_detach(handle) }
}
