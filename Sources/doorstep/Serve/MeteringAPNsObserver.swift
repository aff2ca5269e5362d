import APNs
import Domain
import Observability
import Service

/// Hangs metrics and logs onto what happens between this process and APNs.
struct MeteringAPNsObserver: APNsObserver {
  let metrics: Metrics
  let logger: Logger
  /// Told by `/readyz?verbose`; never a reason not to be ready.
  let condition: Health.Condition

  func connections(_ counts: ConnectionCounts, keyID: String, environment: PushEnvironment) {
    metrics.apnsConnections.set(Double(counts.connecting), environment.rawValue, "connecting")
    metrics.apnsConnections.set(Double(counts.ready), environment.rawValue, "ready")
    metrics.apnsConnections.set(Double(counts.draining), environment.rawValue, "draining")
    if counts.ready > 0 { condition.well() }
  }

  func streams(_ open: Int, keyID: String, environment: PushEnvironment) { metrics.apnsStreams.set(Double(open)) }

  func goAway(reason: String, environment: PushEnvironment) { metrics.apnsGoaways.increment() }

  func connectionFailed(_ cause: String, environment: PushEnvironment) {
    condition.unwell(cause)
    logger.log(.apnsConnectFailed, .component("apns"), .detail("\(environment.rawValue): \(cause)"))
  }

  func providerToken(ageSeconds: Double, keyID: String) { metrics.providerTokenAge.set(ageSeconds) }

  func providerTokenFailed(_ cause: String, keyID: String) {
    condition.unwell(cause)
    logger.log(.apnsConnectFailed, .detail("no provider token for key \(keyID): \(cause)"))
  }

  func circuit(_ change: CircuitChange) {
    let what = "key \(change.keyID), \(change.environment.rawValue)"
    guard let cause = change.openedBy else {
      condition.well()
      return logger.log(.circuitClosed, .detail(what))
    }
    condition.unwell("circuit open: \(cause.rawValue) \(change.reason)")
    logger.log(.circuitOpened, .code(cause.rawValue), .detail("\(what) \(change.reason)"))
  }

  func badToken(_ lane: PushLane, reason: String, isGivenUp: Bool) {
    logger.log(.tokenRetired, .code(reason), .detail(isGivenUp ? "given up" : "kept: too many at once"))
  }
}
