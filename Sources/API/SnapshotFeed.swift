import Codecs
import Domain
import HTTPServer
import Runtime
import Service

/// Server-sent events: snapshots of orders to those who watch them (`GET /v1/orders/{orderId}/stream`).
///
/// It hears the same wake-ups as the dispatcher, and looks at every watched order now and then: a change made by
/// another replica wakes nobody here.
public final class SnapshotFeed: Waker {
  public static let streamsMax = 1_000
  static let lookSeconds = 5.0
  /// A comment line so often keeps proxies from closing a quiet connection.
  static let keepAliveSeconds = 15.0
  /// A stream is closed after so long; clients connect again by themselves.
  static let streamSecondsMax = 3_600.0

  struct Watch: Sendable {
    let stream: HTTPStream
    let endsAt: Double
    var sequence: Int64?
    var quietSince: Double
  }

  private struct State: Sendable {
    var watches: [OrderID: [ObjectIdentifier: Watch]] = [:]
    var woken: Set<OrderID> = []
    var isStopped = false
    var streams: Int { watches.values.reduce(0) { $0 + $1.count } }
  }

  private let registry: Registry
  private let state = Lock(State())
  private let signal = TimedSignal()

  public init(registry: Registry) { self.registry = registry }

  public func wake(_ wakes: Wakes) {
    let isWatched = state.withLock { state in
      guard !state.watches.isEmpty else { return false }
      for order in wakes.orders where state.watches[order] != nil { state.woken.insert(order) }
      return !state.woken.isEmpty
    }
    if isWatched { signal.raise() }
  }

  /// A stream of this order's snapshots, beginning with the current one; nil when there are too many.
  func watch(_ order: OrderID) -> HTTPStream? {
    let stream = HTTPStream()
    let now = MonotonicClock.now
    let isTaken = state.withLock { state in
      guard !state.isStopped, state.streams < Self.streamsMax else { return false }
      state.watches[order, default: [:]][ObjectIdentifier(stream)] = Watch(
        stream: stream, endsAt: now + Self.streamSecondsMax, quietSince: now)
      state.woken.insert(order)
      return true
    }
    guard isTaken else { return nil }
    signal.raise()
    return stream
  }

  /// Sends until the task is cancelled; then ends all streams.
  func run() async {
    var lookedAt = MonotonicClock.now
    while !Task.isCancelled {
      await signal.wait(seconds: Self.lookSeconds)
      var orders = state.withLock { state in
        defer { state.woken = [] }
        return state.woken
      }
      if MonotonicClock.now - lookedAt >= Self.lookSeconds {
        orders = state.withLock { Set($0.watches.keys) }
        lookedAt = MonotonicClock.now
      }
      for order in orders {
        // A database that is away is looked at again with the next round.
        let snapshot = (try? await registry.snapshot(of: order))??.snapshot
        tell(order, snapshot)
      }
    }
    end()
  }

  private func tell(_ order: OrderID, _ snapshot: Snapshot?) {
    let now = MonotonicClock.now
    var watches = state.withLock { $0.watches[order] } ?? [:]
    var gone: [ObjectIdentifier] = []
    for (id, watch) in watches {
      var watch = watch
      if !watch.tell(order, snapshot, now: now) { gone.append(id) }
      watches[id] = watch
    }
    for id in gone { watches.removeValue(forKey: id)?.stream.finish() }
    state.withLock { state in
      for id in gone { state.watches[order]?[id] = nil }
      for (id, watch) in watches where state.watches[order]?[id] != nil { state.watches[order]?[id] = watch }
      if state.watches[order]?.isEmpty == true { state.watches[order] = nil }
    }
  }

  private func end() {
    let streams = state.withLock { state in
      defer { state.watches = [:] }
      state.isStopped = true
      return state.watches.values.flatMap { $0.values.map(\.stream) }
    }
    for stream in streams { stream.finish() }
  }
}

extension SnapshotFeed.Watch {
  /// False when the client is gone or the stream has lasted long enough.
  fileprivate mutating func tell(_ order: OrderID, _ snapshot: Snapshot?, now: Double) -> Bool {
    if now >= endsAt { return false }
    if let snapshot, snapshot.sequence != sequence {
      sequence = snapshot.sequence
      quietSince = now
      return stream.send(Self.event(order, snapshot))
    }
    guard now - quietSince >= SnapshotFeed.keepAliveSeconds else { return stream.send([]) }
    quietSince = now
    return stream.send(Array(":\n\n".utf8))
  }

  private static func event(_ order: OrderID, _ snapshot: Snapshot) -> [UInt8] {
    var writer = JSONWriter()
    SnapshotDocument.write(snapshot, order: order, to: &writer)
    return Array("id: \(snapshot.sequence)\nevent: snapshot\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
  }
}
