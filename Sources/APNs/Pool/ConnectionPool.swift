/// Which connections there are and which of them takes the next push. Decides only; times are monotonic seconds.
///
/// A connection takes one push at a time until APNs has once accepted its provider token, then as many as the peer's
/// limit allows. The pool grows under load, shrinks after it, and replaces what fails.
struct ConnectionPool: Sendable {
  typealias ID = Int

  enum Action: Equatable, Sendable {
    case dial(ID)
    /// Take no more, close when the open ones have ended.
    case drain(ID)
  }

  /// What the end of a stream says of its connection.
  enum Ending: Equatable, Sendable {
    /// Any answer that shows that the provider token was accepted.
    case authorised
    /// An answer that shows nothing of the connection.
    case neutral
    /// 5xx.
    case serverError
    /// The server wants no more on this connection.
    case leave
    /// Not processed, or no answer.
    case lost
  }

  struct Connection: Equatable, Sendable {
    enum Phase: Equatable, Sendable { case connecting, ready, draining }
    let id: ID
    var phase = Phase.connecting
    var isProven = false
    /// It took no push although it should: left alone until one of its streams ends.
    var isStalled = false
    var open = 0
    var limit = 0
    var serverErrorsInRow = 0

    var free: Int {
      guard phase == .ready, !isStalled else { return 0 }
      return max(0, (isProven ? limit : min(1, limit)) - open)
    }
  }

  static let serverErrorsInRowMax = 3
  static let redialSecondsMin = 0.25
  static let redialSecondsMax = 30.0
  /// Load is looked at over so long a time before a connection is given up.
  static let shrinkAfterSeconds = 60.0
  /// Share of the streams in use from which another connection is opened.
  static let growthShare = 0.75
  private static let limitExpected = 100

  let connectionsMin: Int
  let connectionsMax: Int
  private(set) var connections: [Connection] = []
  private var target: Int
  private var lastID = 0
  /// Dials that came to nothing since APNs last accepted a provider token.
  private(set) var failuresInRow = 0
  private(set) var redialAt = -Double.infinity
  private var limitSeen = limitExpected
  private var peakLoad = 0
  private var peakSince = -Double.infinity
  private var isClosing = false
  private var random: SplitMix64

  init(connectionsMin: Int, connectionsMax: Int, seed: UInt64) {
    self.connectionsMin = connectionsMin
    self.connectionsMax = max(connectionsMin, connectionsMax)
    target = connectionsMin
    random = SplitMix64(seed: seed)
  }

  // MARK: What is there

  var inFlight: Int { connections.reduce(0) { $0 + $1.open } }
  /// Streams free now, and one for each connection that is on its way.
  var free: Int { connections.reduce(0) { $0 + ($1.phase == .connecting ? 1 : $1.free) } }
  /// Streams of all connections that take pushes.
  var capacity: Int { connections.reduce(0) { $0 + ($1.phase == .draining ? 0 : expected($1)) } }

  private var living: Int { connections.count { $0.phase != .draining } }
  private func expected(_ connection: Connection) -> Int { connection.isProven ? connection.limit : limitSeen }

  // MARK: Streams

  /// Takes a stream of the least used connection, unproven ones first; nil when none is free.
  mutating func takeStream() -> ID? {
    var best: Int?
    var bestUse = Double.infinity
    for (index, connection) in connections.enumerated() where connection.free > 0 {
      let use = connection.isProven ? Double(connection.open) / Double(max(1, connection.limit)) : -1
      if use < bestUse { (best, bestUse) = (index, use) }
    }
    guard let best else { return nil }
    connections[best].open += 1
    return connections[best].id
  }

  /// The connection did not take the push after all.
  mutating func returnStream(_ id: ID) {
    change(id) {
      $0.open = max(0, $0.open - 1)
      $0.isStalled = true
    }
  }

  mutating func streamEnded(_ id: ID, _ ending: Ending) -> [Action] {
    guard let index = index(of: id) else { return [] }
    connections[index].open = max(0, connections[index].open - 1)
    connections[index].isStalled = false
    switch ending {
    case .authorised:
      connections[index].serverErrorsInRow = 0
      connections[index].isProven = true
      limitSeen = max(1, connections[index].limit)
      (failuresInRow, redialAt) = (0, -.infinity)
    case .neutral, .lost: break
    case .serverError:
      connections[index].serverErrorsInRow += 1
      if connections[index].serverErrorsInRow >= Self.serverErrorsInRowMax { return drain(index) }
    case .leave: return drain(index)
    }
    return []
  }

  private mutating func drain(_ index: Int) -> [Action] {
    guard connections[index].phase != .draining else { return [] }
    connections[index].phase = .draining
    return [.drain(connections[index].id)]
  }

  // MARK: Connections

  mutating func ready(_ id: ID, limit: Int) {
    change(id) {
      if $0.phase == .connecting { $0.phase = .ready }
      $0.limit = limit
    }
  }

  mutating func limitChanged(_ id: ID, limit: Int) { change(id) { $0.limit = limit } }

  mutating func goAway(_ id: ID) { change(id) { $0.phase = .draining } }

  /// The connection is gone. One that never proved itself counts as a failed dial: the next one waits longer.
  mutating func closed(_ id: ID, now: Double) {
    guard let index = index(of: id) else { return }
    let connection = connections.remove(at: index)
    guard !connection.isProven else { return }
    failuresInRow += 1
    let pause = min(Self.redialSecondsMin * Double(1 << min(failuresInRow - 1, 7)), Self.redialSecondsMax)
    redialAt = now + pause * (0.5 + 0.5 * random.fraction())
  }

  /// Puts new connections in the place of all: the provider token of the old ones is refused for good.
  mutating func replaceAll() -> [Action] {
    connections.indices.flatMap { drain($0) }
  }

  /// Drains everything and dials no more.
  mutating func close() -> [Action] {
    isClosing = true
    return replaceAll()
  }

  /// Dials what is missing, grows and shrinks. Call whenever something happened, and at `redialAt`.
  ///
  /// - Parameter waiting: pushes that have no stream yet.
  mutating func adjust(waiting: Int, now: Double) -> [Action] {
    guard !isClosing else { return [] }
    let load = inFlight + waiting
    let isDialing = connections.contains { $0.phase == .connecting || ($0.phase == .ready && !$0.isProven) }
    if !isDialing, living > 0, Double(load) > Self.growthShare * Double(capacity) {
      target = min(connectionsMax, living * 2)
    }
    let shrinking = shrink(load: load, now: now)
    return shrinking + dialMissing(now: now)
  }

  private mutating func dialMissing(now: Double) -> [Action] {
    guard now >= redialAt else { return [] }
    // While dials fail one attempt at a time is enough.
    let missing = max(0, target - living)
    return (0..<(failuresInRow > 0 && living == 0 ? min(1, missing) : missing)).map { _ in
      lastID += 1
      connections.append(Connection(id: lastID))
      return .dial(lastID)
    }
  }

  private mutating func shrink(load: Int, now: Double) -> [Action] {
    peakLoad = max(peakLoad, load)
    guard now >= peakSince + Self.shrinkAfterSeconds else { return [] }
    defer { (peakLoad, peakSince) = (load, now) }
    guard target > connectionsMin, living == target else { return [] }
    let remaining = Double(capacity) * Double(target - 1) / Double(target)
    guard Double(peakLoad) < 0.5 * remaining else { return [] }
    target -= 1
    let candidates = connections.indices.filter { connections[$0].phase != .draining }
    return candidates.min { connections[$0].open < connections[$1].open }.map { drain($0) } ?? []
  }

  private func index(of id: ID) -> Int? { connections.firstIndex { $0.id == id } }

  private mutating func change(_ id: ID, _ body: (inout Connection) -> Void) {
    if let index = index(of: id) { body(&connections[index]) }
  }
}
