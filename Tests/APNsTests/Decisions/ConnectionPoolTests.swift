import Testing

@testable import APNs

@Suite struct ConnectionPoolTests {
  /// A pool with `count` proven connections of `limit` streams.
  private func pool(_ count: Int, limit: Int = 100, max: Int = 8) -> ConnectionPool {
    var pool = ConnectionPool(connectionsMin: count, connectionsMax: max, seed: 1)
    for case .dial(let id) in pool.adjust(waiting: 0, now: 0) {
      pool.ready(id, limit: limit)
      #expect(pool.takeStream() == id)
      #expect(pool.streamEnded(id, .authorised) == [])
    }
    return pool
  }

  @Test func opensItsMinimumAtOnce() {
    var pool = ConnectionPool(connectionsMin: 2, connectionsMax: 8, seed: 1)
    #expect(pool.adjust(waiting: 0, now: 0) == [.dial(1), .dial(2)])
    #expect(pool.adjust(waiting: 0, now: 0) == [])
    #expect(pool.takeStream() == nil, "nothing before the first SETTINGS")
    #expect(pool.free == 2)
  }

  @Test func oneStreamUntilTheProviderTokenIsAccepted() {
    var pool = ConnectionPool(connectionsMin: 1, connectionsMax: 1, seed: 1)
    _ = pool.adjust(waiting: 0, now: 0)
    pool.ready(1, limit: 500)
    #expect(pool.takeStream() == 1)
    #expect(pool.takeStream() == nil)
    #expect(pool.streamEnded(1, .neutral) == [])
    #expect(pool.takeStream() == 1)
    #expect(pool.takeStream() == nil)
    #expect(pool.streamEnded(1, .authorised) == [])
    #expect(pool.free == 500)
  }

  @Test func aBurstIsSpread() {
    var pool = pool(4)
    for _ in 0..<100 { #expect(pool.takeStream() != nil) }
    #expect(pool.connections.map(\.open) == [25, 25, 25, 25])
  }

  @Test func neverMoreThanTheLimitWhateverItBecomes() {
    var pool = pool(1, max: 1)
    while pool.takeStream() != nil {}
    #expect(pool.inFlight == 100)
    pool.limitChanged(1, limit: 1)
    #expect(pool.free == 0)
    for _ in 0..<99 { #expect(pool.streamEnded(1, .lost) == []) }
    #expect(pool.takeStream() == nil)
    #expect(pool.streamEnded(1, .authorised) == [])
    #expect(pool.takeStream() == 1)
    #expect(pool.takeStream() == nil)
    pool.limitChanged(1, limit: 100)
    #expect(pool.free == 99)
  }

  @Test func growsByDoublingUnderLoadUpToItsMaximum() {
    var pool = pool(1)
    var living: [Int] = []
    for round in 1...5 {
      while pool.takeStream() != nil {}
      for case .dial(let id) in pool.adjust(waiting: 100, now: Double(round)) {
        pool.ready(id, limit: 100)
        #expect(pool.adjust(waiting: 100, now: Double(round)) == [], "one step at a time")
      }
      living.append(pool.connections.count)
      for connection in pool.connections where !connection.isProven {
        #expect(pool.takeStream() != nil)
        _ = pool.streamEnded(connection.id, .authorised)
      }
    }
    #expect(living == [2, 4, 8, 8, 8])
  }

  @Test func shrinksWhenTheLoadIsGone() {
    var pool = pool(1)
    _ = pool.adjust(waiting: 1000, now: 0)
    pool.ready(2, limit: 100)
    _ = pool.takeStream()
    _ = pool.streamEnded(2, .authorised)
    #expect(pool.adjust(waiting: 0, now: 61) == [], "the window still holds the load")
    #expect(pool.adjust(waiting: 0, now: 122) == [.drain(1)])
    pool.closed(1, now: 122)
    #expect(pool.adjust(waiting: 0, now: 300) == [], "the minimum stays")
  }

  @Test func goAwayIsReplacedAtOnce() {
    var pool = pool(2)
    pool.goAway(1)
    #expect(pool.adjust(waiting: 0, now: 1) == [.dial(3)])
    for _ in 0..<10 { #expect(pool.takeStream() == 2) }
    pool.closed(1, now: 2)
    #expect(pool.adjust(waiting: 0, now: 2) == [])
  }

  @Test func serverErrorsInARowReplaceTheConnection() {
    var pool = pool(1)
    for _ in 0..<3 { #expect(pool.takeStream() == 1) }
    #expect(pool.streamEnded(1, .serverError) == [])
    #expect(pool.streamEnded(1, .serverError) == [])
    #expect(pool.streamEnded(1, .serverError) == [.drain(1)])
    #expect(pool.adjust(waiting: 0, now: 1) == [.dial(2)])
  }

  @Test func aDialThatFailsIsRepeatedLaterAndLater() {
    var pool = ConnectionPool(connectionsMin: 1, connectionsMax: 1, seed: 7)
    var now = 0.0
    var pauses: [Double] = []
    for attempt in 1...12 {
      #expect(pool.adjust(waiting: 5, now: now) == [.dial(attempt)])
      pool.closed(attempt, now: now)
      #expect(pool.adjust(waiting: 5, now: now) == [])
      pauses.append(pool.redialAt - now)
      now = pool.redialAt
    }
    #expect(pauses[0] <= 0.25)
    #expect(pauses.allSatisfy { $0 > 0 && $0 <= 30 })
    #expect((pauses.last ?? 0) >= 15)
  }

  @Test func aConnectionThatTakesNothingIsLeftAlone() {
    var pool = pool(2)
    let id = pool.takeStream()
    #expect(id == 1)
    pool.returnStream(1)
    for _ in 0..<50 { #expect(pool.takeStream() == 2) }
    #expect(pool.free == 50)
  }

  @Test func replacingAllKeepsWhatIsInFlight() {
    var pool = pool(2)
    _ = pool.takeStream()
    #expect(pool.replaceAll() == [.drain(1), .drain(2)])
    #expect(pool.takeStream() == nil)
    #expect(pool.inFlight == 1)
    #expect(pool.adjust(waiting: 0, now: 1) == [.dial(3), .dial(4)])
  }

  @Test func closingDialsNoMore() {
    var pool = pool(1)
    #expect(pool.close() == [.drain(1)])
    pool.closed(1, now: 0)
    #expect(pool.adjust(waiting: 10, now: 100) == [])
  }

  /// Whatever happens in whatever order: never over a limit, never over the maximum, never a negative count.
  @Test(arguments: 1...40)
  func countsHoldUnderAnySequence(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var pool = ConnectionPool(connectionsMin: 2, connectionsMax: 6, seed: seed)
    var now = 0.0
    for step in 0..<500 {
      now += random.fraction()
      let ids = pool.connections.map(\.id)
      let id = ids.randomElement(using: &random) ?? 0
      switch random.next() % 10 {
      case 0: pool.ready(id, limit: Int(random.next() % 20))
      case 1: pool.limitChanged(id, limit: Int(random.next() % 20))
      case 2: pool.goAway(id)
      case 3: pool.closed(id, now: now)
      case 4, 5: _ = pool.adjust(waiting: Int(random.next() % 100), now: now)
      case 6:
        let endings: [ConnectionPool.Ending] = [.authorised, .neutral, .serverError, .leave, .lost]
        if let ending = endings.randomElement(using: &random) { _ = pool.streamEnded(id, ending) }
      case 7: pool.returnStream(id)
      default:
        guard let taken = pool.takeStream(), let connection = pool.connections.first(where: { $0.id == taken }) else {
          continue
        }
        #expect(connection.open <= max(1, connection.limit), "seed \(seed) step \(step)")
        #expect(connection.phase == .ready)
      }
      let living = pool.connections.count { $0.phase != .draining }
      #expect(living <= 6 && pool.inFlight >= 0 && pool.free >= 0, "seed \(seed) step \(step)")
    }
  }
}
