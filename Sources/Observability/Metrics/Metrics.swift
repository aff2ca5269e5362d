/// The metrics of one process: every instrument by its name, and all of them as text.
public final class Metrics: Sendable {
  public let events = Counter(MetricTable.events)
  public let eventToPush = Histogram(MetricTable.eventToPush)
  public let ingestBatch = Histogram(MetricTable.ingestBatch)
  public let ingestRecords = Counter(MetricTable.ingestRecords)
  public let consumerLag = Gauge(MetricTable.consumerLag)
  public let consumerBehind = Gauge(MetricTable.consumerBehind)
  public let deadLetters = Counter(MetricTable.deadLetters)
  public let orders = Gauge(MetricTable.orders)
  public let pushes = Counter(MetricTable.pushes)
  public let pushSeconds = Histogram(MetricTable.pushSeconds)
  public let payloadsRefused = Counter(MetricTable.payloadsRefused)
  public let dispatchDue = Gauge(MetricTable.dispatchDue)
  public let dispatchOldestDue = Gauge(MetricTable.dispatchOldestDue)
  public let dispatchInFlight = Gauge(MetricTable.dispatchInFlight)
  public let decisions = Counter(MetricTable.decisions)
  public let reservationsLost = Counter(MetricTable.reservationsLost)
  public let settlementsOutdated = Counter(MetricTable.settlementsOutdated)
  public let sweepRepairs = Counter(MetricTable.sweepRepairs)
  public let startsUnconfirmed = Gauge(MetricTable.startsUnconfirmed)
  public let tokens = Gauge(MetricTable.tokens)
  public let tokensRetired = Counter(MetricTable.tokensRetired)
  public let apnsConnections = Gauge(MetricTable.apnsConnections)
  public let apnsStreams = Gauge(MetricTable.apnsStreams)
  public let apnsGoaways = Counter(MetricTable.apnsGoaways)
  public let providerTokenAge = Gauge(MetricTable.providerTokenAge)
  public let etaError = Histogram(MetricTable.etaError)
  public let storeRetries = Counter(MetricTable.storeRetries)
  public let writeConflicts = Counter(MetricTable.writeConflicts)
  public let httpRequests = Counter(MetricTable.httpRequests)
  public let appReports = Counter(MetricTable.appReports)
  public let httpSeconds = Histogram(MetricTable.httpSeconds)
  private let buildInfo = Gauge(MetricTable.buildInfo)
  private let process = ProcessMetrics()

  public init(version: String) { buildInfo.set(1, version) }

  /// In the order of the table.
  private var all: [any Metric] {
    [
      events, eventToPush, ingestBatch, ingestRecords, consumerLag, consumerBehind, deadLetters, orders, pushes,
      pushSeconds, payloadsRefused, dispatchDue, dispatchOldestDue, dispatchInFlight, decisions, reservationsLost,
      settlementsOutdated, sweepRepairs, startsUnconfirmed, tokens, tokensRetired, apnsConnections, apnsStreams,
      apnsGoaways, providerTokenAge, etaError, storeRetries, writeConflicts, httpRequests, appReports, httpSeconds,
      buildInfo,
    ] + process.all
  }

  public var definitions: [MetricDefinition] { all.map(\.definition) }

  /// All metrics as they stand now. Touches nothing but memory and `/proc/self`.
  public func exposition(_ format: Exposition.Format) -> [UInt8] {
    process.refresh()
    var exposition = Exposition(format)
    for metric in all { metric.write(to: &exposition) }
    exposition.end()
    return Array(exposition.text.utf8)
  }
}
