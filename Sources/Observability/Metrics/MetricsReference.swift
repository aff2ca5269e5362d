/// docs/metrics.md, made from the definitions.
public enum MetricsReference {
  public static func markdown() -> String {
    let rows = Metrics(version: "").definitions.map { metric in
      let labels = metric.labels.isEmpty ? "" : metric.labels.map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
    }
    return """
      # Metrics

      <!-- Made by the ObservabilityTests from the table of metrics: do not edit by hand. -->

      `GET /metrics` on `DOORSTEP_OPS_ADDRESS` answers in the Prometheus text format 0.0.4, or in OpenMetrics 1.0 when
      the scraper asks for it; then histograms carry exemplars with trace ids. No order, user or token is ever a label.
      A metric with labels has a bounded number of series; what comes after goes to one series whose labels say `other`.

      | metric | kind | labels | meaning |
      | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }
}
