/// Every event that can be logged. One file, so that nobody has to guess what to search for.
extension LogEvent {
  // The process
  public static let starting = LogEvent("service.starting", .info, "starting")
  public static let started = LogEvent("service.started", .info, "everything runs")
  public static let draining = LogEvent("service.draining", .info, "draining: no new work is taken")
  public static let stopped = LogEvent("service.stopped", .info, "stopped")
  public static let drainLate = LogEvent(
    "service.drain_late", .warning, "a part did not finish within DOORSTEP_SHUTDOWN_SECONDS")
  public static let reloaded = LogEvent("service.reloaded", .info, "keys and certificates were read anew")
  public static let reloadFailed = LogEvent(
    "service.reload_failed", .error, "a file could not be read anew; the former content stays in use")
  public static let listening = LogEvent("http.listening", .info, "listening")
  public static let loopStalled = LogEvent(
    "service.loop_stalled", .error, "a loop has stopped turning; the process should be restarted")
  public static let clockApart = LogEvent(
    "service.clock_apart", .error, "this machine's clock and the database's differ; correct the clock")

  // Kafka
  public static let assigned = LogEvent("kafka.assigned", .info, "partitions were assigned")
  public static let revoked = LogEvent("kafka.revoked", .info, "partitions were revoked")
  public static let recordRefused = LogEvent("kafka.record_refused", .warning, "a record went to the dead letters")
  public static let brokerAway = LogEvent("kafka.away", .warning, "the broker cannot be reached; retrying")
  public static let brokerBack = LogEvent("kafka.back", .info, "the broker is reached again")
  public static let consumerStopped = LogEvent("kafka.consumer_stopped", .error, "the consumer cannot go on")

  // PostgreSQL
  public static let databaseAway = LogEvent("database.away", .warning, "the database cannot be reached; retrying")
  public static let databaseBack = LogEvent("database.back", .info, "the database is reached again")
  public static let databaseRetry = LogEvent("database.retry", .warning, "a transaction is tried again")
  public static let schemaWrong = LogEvent(
    "database.schema_wrong", .error, "the schema does not fit this binary; run doorstep migrate")
  public static let migrated = LogEvent("database.migrated", .info, "the schema was migrated")

  // Dispatch and APNs
  public static let shardsTaken = LogEvent("dispatch.shards_taken", .info, "shards were taken over")
  public static let shardsLost = LogEvent("dispatch.shards_lost", .info, "shards went to another replica")
  public static let sweepRepaired = LogEvent(
    "dispatch.sweep_repaired", .warning, "the sweep found work that no wake-up had brought")
  public static let payloadRefused = LogEvent(
    "dispatch.payload_refused", .error, "a payload could not be built; check the shape file")
  public static let pushRefused = LogEvent("apns.refused", .warning, "APNs refused a push")
  public static let tokenRetired = LogEvent("apns.token_retired", .info, "a dead push token was retired")
  public static let circuitOpened = LogEvent("apns.circuit_opened", .error, "APNs fails; pushes wait")
  public static let circuitClosed = LogEvent("apns.circuit_closed", .info, "APNs answers again")
  public static let apnsConnected = LogEvent("apns.connected", .debug, "connected to APNs")
  public static let apnsClosed = LogEvent("apns.closed", .debug, "a connection to APNs was closed")
  public static let apnsConnectFailed = LogEvent("apns.connect_failed", .warning, "APNs cannot be reached")

  // HTTP
  public static let requestRefused = LogEvent("http.refused", .debug, "a request was refused")
  public static let requestFailed = LogEvent("http.failed", .error, "a request failed on our side")
  public static let operatorAction = LogEvent("audit.action", .info, "an operator acted")
  public static let requestFlood = LogEvent("http.flood", .warning, "requests are refused because of their rate")

  // Tracing
  public static let spansDropped = LogEvent("traces.dropped", .warning, "spans were dropped: the collector lags")
  public static let exportFailed = LogEvent("traces.export_failed", .warning, "the collector did not take the spans")
}
