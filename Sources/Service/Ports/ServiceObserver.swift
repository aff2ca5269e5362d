import Domain

/// Hears what the use cases do; metrics and logs hang on it. It must return at once and never fail.
public protocol ServiceObserver: Sendable {
  /// A loop came round, whether it found work, waits for a dependency or has nothing to do.
  func turned(_ loop: ServiceLoop)
  /// `type` and `outcome` come from closed lists.
  func event(topic: String, type: String, outcome: String)
  func deadLetter(code: String, message: String, record: Record)
  func ingestBatch(records: Int, seconds: Double)
  func consumerBehind(_ seconds: [TopicPartition: Double])
  func storeRetry(_ what: String, reason: String)
  func writeConflict()
  func decision(_ verdict: Verdict)
  /// An answer to a push of this plan; `eventSeconds` is the time since the Kafka record that made it due.
  func push(_ plan: PushPlan, answer: PushAnswer, environment: PushEnvironment, eventSeconds: Double?)
  func payloadRefused(_ plan: PushPlan, reason: String)
  func queue(due: Int, oldestSeconds: Double, inFlight: Int)
  func outdatedSettlements(_ count: Int)
  func reservationsLost(_ count: Int)
  /// The sweep found work that no wake-up had brought: expected to stay 0.
  func sweepRepaired()
}

/// Loops that must keep turning.
public enum ServiceLoop: Hashable, Sendable { case ingest, dispatch }

extension ServiceObserver {
  public func turned(_ loop: ServiceLoop) {}
  public func event(topic: String, type: String, outcome: String) {}
  public func deadLetter(code: String, message: String, record: Record) {}
  public func ingestBatch(records: Int, seconds: Double) {}
  public func consumerBehind(_ seconds: [TopicPartition: Double]) {}
  public func storeRetry(_ what: String, reason: String) {}
  public func writeConflict() {}
  public func decision(_ verdict: Verdict) {}
  public func push(_ plan: PushPlan, answer: PushAnswer, environment: PushEnvironment, eventSeconds: Double?) {}
  public func payloadRefused(_ plan: PushPlan, reason: String) {}
  public func queue(due: Int, oldestSeconds: Double, inFlight: Int) {}
  public func outdatedSettlements(_ count: Int) {}
  public func reservationsLost(_ count: Int) {}
  public func sweepRepaired() {}
}

/// Hears nothing: the default.
public struct SilentObserver: ServiceObserver {
  public init() {}
}
