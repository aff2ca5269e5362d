/// Metrics as text: Prometheus 0.0.4, or OpenMetrics 1.0 when the scraper asks for it.
public struct Exposition: Sendable {
  public enum Format: Sendable {
    case prometheus
    case openMetrics

    /// Chooses by a request's `Accept` header.
    public init(accept: String?) {
      self = accept?.contains("application/openmetrics-text") == true ? .openMetrics : .prometheus
    }

    public var contentType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  let format: Format
  private(set) var text = ""

  init(_ format: Format) { self.format = format }

  mutating func begin(_ definition: MetricDefinition) {
    var name = definition.name
    // OpenMetrics names the family of a counter without the suffix of its samples.
    if format == .openMetrics, definition.kind == .counter, name.hasSuffix("_total") { name.removeLast(6) }
    text += "# HELP \(name) \(Self.escaped(definition.help, quotes: format == .openMetrics))\n"
    text += "# TYPE \(name) \(definition.kind.rawValue)\n"
  }

  mutating func sample(_ name: String, _ labels: [String], _ values: [String], _ value: Double) {
    text += name
    if !labels.isEmpty {
      let pairs = zip(labels, values).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
      text += "{" + pairs.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  mutating func histogram(_ definition: MetricDefinition, _ values: [String], _ content: Histogram.Content) {
    let labels = definition.labels + ["le"]
    var total = 0
    for (index, count) in content.counts.enumerated() {
      total += count
      let bound = index < definition.buckets.count ? definition.buckets[index] : .infinity
      sample(definition.name + "_bucket", labels, values + [Self.number(bound, format)], Double(total))
      if format == .openMetrics, let exemplar = content.exemplars[index] { append(exemplar) }
    }
    sample(definition.name + "_sum", definition.labels, values, content.sum)
    sample(definition.name + "_count", definition.labels, values, Double(total))
  }

  mutating func end() {
    if format == .openMetrics { text += "# EOF\n" }
  }

  private mutating func append(_ exemplar: Histogram.Exemplar) {
    text.removeLast()
    text += " # {trace_id=\"\(Self.escaped(exemplar.traceID, quotes: true))\"}"
    text += " \(Self.number(exemplar.value)) \(Self.number(exemplar.unixSeconds))\n"
  }

  /// Whole numbers without a fraction; OpenMetrics wants one in `le`.
  private static func number(_ value: Double, _ format: Format = .prometheus) -> String {
    if value == .infinity { return "+Inf" }
    if value == -.infinity { return "-Inf" }
    if let whole = Int64(exactly: value), abs(value) < 1e15 {
      return format == .openMetrics ? "\(whole).0" : "\(whole)"
    }
    return value.isNaN ? "NaN" : "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    guard text.utf8.contains(where: { $0 == 0x5c || $0 == 0x0a || $0 == 0x22 }) else { return text }
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\"" where quotes: output += "\\\""
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
