import CSystem
import Runtime

/// Load for benchmarks: so many requests over one connection, so many of them open at once.
///
/// It measures the transport alone: requests are built by the caller's closure, outcomes are only counted.
public final class RequestLoad: HTTP2ConnectionDelegate, @unchecked Sendable {
  /// What a run showed. CPU times are those of the whole process while the requests ran.
  public struct Report: Sendable {
    public var requests: Int
    /// Answered with 200.
    public var succeeded: Int
    public var wallSeconds: Double
    public var userSeconds: Double
    public var systemSeconds: Double
  }

  private struct Usage {
    var wall = MonotonicClock.now
    var user = 0.0
    var system = 0.0

    init() {
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
      system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
    }
  }

  private let connection: HTTP2Connection
  private let requests: Int
  private let openAtOnce: Int
  private let make: (Int) -> HTTP2Request
  private let result = Lock<Result<Report, HTTP2Failure>?>(nil)
  private let finished = TimedSignal()
  private var began = Usage()
  private var sent = 0
  private var settled = 0
  private var succeeded = 0
  private var refillPending = false

  /// - Parameter make: the request number so many, from 0; called on the loop.
  public init(
    loop: EventLoop, settings: HTTP2ConnectionSettings, requests: Int, openAtOnce: Int,
    make: @escaping @Sendable (Int) -> HTTP2Request
  ) {
    connection = HTTP2Connection(loop: loop, settings: settings)
    self.requests = requests
    self.openAtOnce = openAtOnce
    self.make = make
    connection.delegate = self
  }

  /// Opens the connection, sends everything, and closes it.
  public func run() async throws(HTTP2Failure) -> Report {
    connection.loop.execute { [self] in connection.open() }
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      await finished.wait()
    }
  }

  public func connectionReady(_ connection: HTTP2Connection) {
    began = Usage()
    refill()
  }

  public func connectionLimitChanged(_ connection: HTTP2Connection) {}

  public func connection(_ connection: HTTP2Connection, settled ticket: UInt64, _ outcome: HTTP2Outcome) {
    settled += 1
    if case .answered(let response) = outcome, response.status == 200 { succeeded += 1 }
    if settled == requests { return finish() }
    // The closed stream counts as open until this call returns, so the next request waits for the end of the turn.
    guard !refillPending else { return }
    refillPending = true
    connection.loop.atTurnEnd(self)
  }

  private func refill() {
    while sent < requests, connection.openRequests < openAtOnce, connection.submit(make(sent)) { sent += 1 }
  }

  private func finish() {
    let ended = Usage()
    let report = Report(
      requests: requests, succeeded: succeeded, wallSeconds: ended.wall - began.wall,
      userSeconds: ended.user - began.user, systemSeconds: ended.system - began.system)
    result.withLock { $0 = .success(report) }
    connection.close()
  }

  public func connection(_ connection: HTTP2Connection, received goAway: GoAway) {}

  public func connectionClosed(_ connection: HTTP2Connection, _ failure: HTTP2Failure) {
    result.withLock { if $0 == nil { $0 = .failure(failure) } }
    finished.raise()
  }
}

extension RequestLoad: EventLoopHandler {
  public func ready(_ events: EventLoop.Events) {}

  public func turnEnded() {
    refillPending = false
    refill()
  }
}
