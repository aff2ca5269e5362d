import Glibc
import Testing

@testable import Observability

private func text(_ metric: any Metric, _ format: Exposition.Format = .prometheus) -> String {
  var exposition = Exposition(format)
  metric.write(to: &exposition)
  exposition.end()
  return exposition.text
}

@Suite struct MetricsTests {
  @Test func aCounter() {
    let counter = Counter(MetricDefinition(.counter, "a_total", "All a\\b\n\"c\".", labels: ["x"]))
    counter.increment("q\"\n\\", by: 2)
    counter.increment("a")
    counter.increment("a", by: -5)
    #expect(
      text(counter) == """
        # HELP a_total All a\\\\b\\n"c".
        # TYPE a_total counter
        a_total{x="a"} 1
        a_total{x="q\\"\\n\\\\"} 2

        """)
    #expect(text(counter, .openMetrics).hasPrefix("# HELP a All a\\\\b\\n\\\"c\\\".\n# TYPE a counter\na_total{"))
    #expect(text(counter, .openMetrics).hasSuffix("# EOF\n"))
  }

  @Test func aGaugeForgetsWhatIsReplaced() {
    let gauge = Gauge(MetricDefinition(.gauge, "g", "G.", labels: ["p"]))
    gauge.set(1.5, "1")
    gauge.replace([["2"]: 3])
    #expect(text(gauge) == "# HELP g G.\n# TYPE g gauge\ng{p=\"2\"} 3\n")
  }

  @Test func aHistogramCountsAtItsBounds() {
    let histogram = Histogram(MetricDefinition(.histogram, "h_seconds", "H.", buckets: [0.1, 1]))
    for value in [0.1, 0.100001, 1, 7, .nan] { histogram.observe(value) }
    #expect(
      text(histogram) == """
        # HELP h_seconds H.
        # TYPE h_seconds histogram
        h_seconds_bucket{le="0.1"} 1
        h_seconds_bucket{le="1"} 3
        h_seconds_bucket{le="+Inf"} 4
        h_seconds_sum 8.200001
        h_seconds_count 4

        """)
  }

  @Test func openMetricsShowsExemplars() {
    let histogram = Histogram(MetricDefinition(.histogram, "h_seconds", "H.", buckets: [1]))
    histogram.observe(0.5, traceID: "4bf92f3577b34da6a3ce929d0e0e4736")
    let lines = text(histogram, .openMetrics).split(separator: "\n")
    #expect(lines[2].hasPrefix(#"h_seconds_bucket{le="1.0"} 1 # {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 0.5 "#))
    #expect(!text(histogram).contains("trace_id"))
  }

  @Test func cardinalityIsBounded() {
    let counter = Counter(MetricDefinition(.counter, "c_total", "C.", labels: ["a", "b"], seriesMax: 3))
    for number in 0..<1000 { counter.increment("\(number)", "x") }
    let lines = text(counter).split(separator: "\n").dropFirst(2)
    #expect(lines.count == 4)
    #expect(lines.contains(#"c_total{a="other",b="other"} 997"#))
    let gauge = Gauge(MetricDefinition(.gauge, "g", "G.", labels: ["a"], seriesMax: 3))
    gauge.replace(Dictionary(uniqueKeysWithValues: (0..<9).map { (["\($0)"], 1) }))
    #expect(text(gauge).split(separator: "\n").count == 5)
  }

  @Test func allSeriesTogetherAreUnderTheLimit() {
    let most = Metrics(version: "1").definitions.reduce(0) { sum, metric in
      sum + (metric.labels.isEmpty ? 1 : metric.seriesMax + 1) * (metric.buckets.isEmpty ? 1 : metric.buckets.count + 3)
    }
    #expect(most < 1_500)
    let labelled = Metrics(version: "1").definitions.filter { $0.kind == .histogram && !$0.labels.isEmpty }
    #expect(labelled.isEmpty, "a histogram with labels multiplies its buckets")
  }

  @Test func namesFollowTheConventions() {
    let definitions = Metrics(version: "1").definitions
    #expect(Set(definitions.map(\.name)).count == definitions.count)
    for metric in definitions {
      #expect(metric.name.hasPrefix("doorstep_") || metric.name.hasPrefix("process_"))
      #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
      #expect(metric.help.hasSuffix("."), "\(metric.name)")
      #expect((metric.kind == .histogram) == !metric.buckets.isEmpty)
      #expect(metric.buckets == metric.buckets.sorted())
      #expect(Set(metric.labels).isDisjoint(with: ["order", "user", "token", "installation"]))
    }
  }

  @Test func theProcessIsDescribed() throws {
    let text = String(decoding: Metrics(version: "1.2").exposition(.prometheus), as: UTF8.self)
    let values = Dictionary(
      uniqueKeysWithValues: text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let parts = line.split(separator: " ")
        return (String(parts[0]), Double(parts[1]) ?? -1)
      })
    #expect(values[#"doorstep_build_info{version="1.2"}"#] == 1)
    #expect(values["process_resident_memory_bytes", default: 0] > 1_000_000)
    #expect(values["process_open_fds", default: 0] >= 3)
    #expect(values["process_start_time_seconds", default: 0] > 1_500_000_000)
    #expect(values["doorstep_dispatch_due"] == 0)
  }
}

/// docs/metrics.md says what the table says. `UPDATE_DOCS=1 swift test --filter MetricsReferenceTests` writes it anew.
@Suite struct MetricsReferenceTests {
  @Test func theDocumentIsCurrent() throws {
    let path = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/docs/metrics.md"
    let expected = MetricsReference.markdown()
    if getenv("UPDATE_DOCS") != nil {
      let file = try #require(fopen(path, "w"))
      fputs(expected, file)
      fclose(file)
    }
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    let isCurrent = String(decoding: bytes[..<count], as: UTF8.self) == expected
    #expect(isCurrent, "docs/metrics.md has drifted; run with UPDATE_DOCS=1 to write it anew")
  }
}
