import Domain
import Observability
import Service

/// Hangs metrics and logs onto what the use cases do.
struct MeteringObserver: ServiceObserver {
  let metrics: Metrics
  let logger: Logger
  let heartbeats: [ServiceLoop: Health.Heartbeat]

  func turned(_ loop: ServiceLoop) { heartbeats[loop]?.beat() }

  func event(topic: String, type: String, outcome: String) { metrics.events.increment(topic, type, outcome) }

  func deadLetter(code: String, message: String, record: Record) {
    metrics.deadLetters.increment(code)
    logger.log(
      .recordRefused, .topic(record.topic), .partition(record.partition), .offset(record.offset), .code(code),
      .detail(message))
  }

  func ingestBatch(records: Int, seconds: Double) {
    metrics.ingestBatch.observe(seconds)
    metrics.ingestRecords.increment(by: records)
  }

  func consumerBehind(_ seconds: [TopicPartition: Double]) {
    for (place, value) in seconds { metrics.consumerBehind.set(value, place.topic, String(place.partition)) }
  }

  func storeRetry(_ what: String, reason: String) {
    metrics.storeRetries.increment(what)
    logger.log(.databaseAway, .detail("\(what): \(reason)"))
  }

  func writeConflict() { metrics.writeConflicts.increment() }

  func decision(_ verdict: Verdict) { metrics.decisions.increment(verdict.kind.rawValue, verdict.rule) }

  func push(_ plan: PushPlan, answer: PushAnswer, environment: PushEnvironment, eventSeconds: Double?) {
    metrics.pushes.increment(plan.event.name, String(plan.priority), String(answer.status), answer.reason)
    metrics.pushSeconds.observe(answer.seconds)
    if case .accepted = answer.outcome {
      if let eventSeconds { metrics.eventToPush.observe(eventSeconds) }
    } else {
      logger.log(
        .pushRefused, .order(plan.order.text), .status(answer.status), .code(answer.reason), .apnsID(answer.apnsID))
    }
  }

  func payloadRefused(_ plan: PushPlan, reason: String) {
    metrics.payloadsRefused.increment()
    logger.log(.payloadRefused, .order(plan.order.text), .detail(reason))
  }

  func queue(due: Int, oldestSeconds: Double, inFlight: Int) {
    metrics.dispatchDue.set(Double(due))
    metrics.dispatchOldestDue.set(oldestSeconds)
    metrics.dispatchInFlight.set(Double(inFlight))
  }

  func outdatedSettlements(_ count: Int) { metrics.settlementsOutdated.increment(by: count) }
  func reservationsLost(_ count: Int) { metrics.reservationsLost.increment(by: count) }

  func sweepRepaired() {
    metrics.sweepRepairs.increment()
    logger.log(.sweepRepaired)
  }
}

extension PushPlan.Event {
  /// A word for metrics.
  var name: String {
    switch self {
    case .start: "start"
    case .update: "update"
    case .end(let repeated): repeated ? "repeatEnd" : "end"
    case .alert: "alert"
    case .wakeApp: "wakeApp"
    }
  }
}
