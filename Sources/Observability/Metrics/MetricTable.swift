/// Every metric there is, as data: the registry, docs/metrics.md and the tests of dashboards and alerts read this.
enum MetricTable {
  typealias Definition = MetricDefinition

  /// From a millisecond to a minute.
  private static let latency = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  static let events = Definition(
    .counter, "doorstep_events_total", "Records read from Kafka, by what became of them.",
    labels: ["topic", "type", "outcome"], seriesMax: 200)
  static let eventToPush = Definition(
    .histogram, "doorstep_event_to_push_seconds",
    "From the Kafka record's timestamp to APNs's answer, for events that made a push due.", buckets: latency)
  static let ingestBatch = Definition(
    .histogram, "doorstep_ingest_batch_seconds", "From the end of a poll to the commit of its records.",
    buckets: latency)
  static let ingestRecords = Definition(
    .counter, "doorstep_ingest_records_total", "Records of committed batches.")
  static let consumerLag = Definition(
    .gauge, "doorstep_consumer_lag", "Records between the consumer and the end of the partition.",
    labels: ["topic", "partition"], seriesMax: 100)
  static let consumerBehind = Definition(
    .gauge, "doorstep_consumer_behind_seconds", "Age of the oldest record not yet read; 0 when caught up.",
    labels: ["topic", "partition"], seriesMax: 100)
  static let deadLetters = Definition(
    .counter, "doorstep_dead_letters_total", "Records refused and sent to the dead-letter topic.", labels: ["code"])
  static let orders = Definition(
    .gauge, "doorstep_orders", "Orders that are kept, by stage.", labels: ["stage"])
  static let pushes = Definition(
    .counter, "doorstep_pushes_total", "Answers to pushes; status 0 when none came.",
    labels: ["event", "priority", "status", "reason"], seriesMax: 200)
  static let pushSeconds = Definition(
    .histogram, "doorstep_push_seconds", "From handing a push to the connection pool to its answer.", buckets: latency)
  static let payloadsRefused = Definition(
    .counter, "doorstep_payloads_refused_total", "Pushes whose payload could not be built.", labels: ["event"])
  static let dispatchDue = Definition(
    .gauge, "doorstep_dispatch_due", "Phones that are due for a decision and wait.")
  static let dispatchOldestDue = Definition(
    .gauge, "doorstep_dispatch_oldest_due_seconds", "How long the longest-waiting due phone has been due.")
  static let dispatchInFlight = Definition(
    .gauge, "doorstep_dispatch_in_flight", "Pushes handed to APNs and not yet answered.")
  static let decisions = Definition(
    .counter, "doorstep_dispatch_decisions_total", "Decisions of the dispatch policy and the rule that fired.",
    labels: ["decision", "rule"], seriesMax: 80)
  static let reservationsLost = Definition(
    .counter, "doorstep_dispatch_reservations_lost_total",
    "Reservations refused because the rows had moved on; the phone is decided anew.")
  static let settlementsOutdated = Definition(
    .counter, "doorstep_dispatch_settlements_outdated_total",
    "Answers that came after the phone's next attempt had begun.")
  static let sweepRepairs = Definition(
    .counter, "doorstep_dispatch_sweep_repairs_total", "Work that only the sweep found; expected to stay 0.")
  static let startsUnconfirmed = Definition(
    .gauge, "doorstep_starts_unconfirmed", "Cards started by push whose app has not registered them.")
  static let tokens = Definition(
    .gauge, "doorstep_tokens", "Push tokens that are held.", labels: ["kind", "environment"])
  static let tokensRetired = Definition(
    .counter, "doorstep_tokens_retired_total", "Push tokens given up.", labels: ["kind", "reason"])
  static let apnsConnections = Definition(
    .gauge, "doorstep_apns_connections", "Connections to APNs.", labels: ["environment", "state"])
  static let apnsStreams = Definition(.gauge, "doorstep_apns_streams", "Open streams on all connections to APNs.")
  static let apnsGoaways = Definition(.counter, "doorstep_apns_goaways_total", "Connections that APNs asked to leave.")
  static let providerTokenAge = Definition(
    .gauge, "doorstep_apns_provider_token_age_seconds", "Age of the oldest provider token in use.")
  static let etaError = Definition(
    .histogram, "doorstep_eta_error_seconds",
    "Real arrival minus the estimate shown when the goods were picked up; negative when the rider was early.",
    buckets: [-900, -600, -300, -180, -120, -60, -30, 0, 30, 60, 120, 180, 300, 600, 900, 1800])
  static let storeRetries = Definition(
    .counter, "doorstep_store_retries_total", "Database transactions tried again.", labels: ["what", "reason"])
  static let writeConflicts = Definition(
    .counter, "doorstep_write_conflicts_total", "Batches recomputed because another process wrote first.")
  static let httpRequests = Definition(
    .counter, "doorstep_http_requests_total", "Requests to the API, by route template.",
    labels: ["route", "status"], seriesMax: 150)
  static let appReports = Definition(
    .counter, "doorstep_app_reports_total", "What apps noticed about their cards, by kind.", labels: ["kind"])
  static let httpSeconds = Definition(
    .histogram, "doorstep_http_request_seconds", "From the end of a request's body to its answer.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5])
  static let buildInfo = Definition(
    .gauge, "doorstep_build_info", "Always 1; the labels say what runs.", labels: ["version"], seriesMax: 1)
  static let processCPU = Definition(.counter, "process_cpu_seconds_total", "CPU time in user and system mode.")
  static let processResident = Definition(.gauge, "process_resident_memory_bytes", "Resident memory.")
  static let processVirtual = Definition(.gauge, "process_virtual_memory_bytes", "Virtual memory.")
  static let processOpenFiles = Definition(.gauge, "process_open_fds", "Open file descriptors.")
  static let processMaxFiles = Definition(.gauge, "process_max_fds", "Limit of file descriptors.")
  static let processStart = Definition(.gauge, "process_start_time_seconds", "When the process started, Unix time.")
}
