import HTTP2
import Runtime
import Service

/// Carries out what the pool of connections decides, and tells it what became of them.
extension PushPool: HTTP2ConnectionDelegate {
  func perform(_ actions: [ConnectionPool.Action]) {
    for action in actions {
      switch action {
      case .dial(let id): dial(id)
      case .drain(let id): connections[id]?.drain()
      }
    }
  }

  private func dial(_ id: ConnectionPool.ID) {
    let connection = HTTP2Connection(loop: loop, settings: settings.connection)
    connection.delegate = self
    connections[id] = connection
    numbers[ObjectIdentifier(connection)] = id
    connection.open()
  }

  func connectionReady(_ connection: HTTP2Connection) {
    guard let id = numbers[ObjectIdentifier(connection)] else { return }
    pool.ready(id, limit: connection.openRequestsLimit)
    // The way is there again: ask at once whether APNs answers on it.
    if openedBy == .unreachable { circuit.probeNow(now: MonotonicClock.now) }
    setNeedsTurn()
  }

  func connectionLimitChanged(_ connection: HTTP2Connection) {
    guard let id = numbers[ObjectIdentifier(connection)] else { return }
    pool.limitChanged(id, limit: connection.openRequestsLimit)
    setNeedsTurn()
  }

  func connection(_ connection: HTTP2Connection, settled ticket: UInt64, _ outcome: HTTP2Outcome) {
    settled(Int(truncatingIfNeeded: ticket), outcome)
  }

  func connection(_ connection: HTTP2Connection, received goAway: GoAway) {
    guard let id = numbers[ObjectIdentifier(connection)] else { return }
    pool.goAway(id)
    let body = AnswerBody(goAway.debugData)
    observer.goAway(reason: body.reason, environment: settings.environment)
    setNeedsTurn()
  }

  func connectionClosed(_ connection: HTTP2Connection, _ failure: HTTP2Failure) {
    guard let id = numbers.removeValue(forKey: ObjectIdentifier(connection)) else { return }
    connections[id] = nil
    pool.closed(id, now: MonotonicClock.now)
    switch failure {
    case .drained, .closedLocally, .closedByPeer: break
    default:
      let host = "\(settings.connection.host):\(settings.connection.port)"
      observer.connectionFailed("\(host): \(failure)", environment: settings.environment)
    }
    let hasNone = !pool.connections.contains { $0.phase == .ready }
    if hasNone, pool.failuresInRow >= Self.dialFailuresMax { trip(.unreachable, reason: "") }
    setNeedsTurn()
  }
}
