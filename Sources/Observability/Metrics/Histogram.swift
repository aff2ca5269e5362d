import Runtime

/// How often values fell into which bucket.
public final class Histogram: Metric {
  /// The newest observation of a bucket that belongs to a trace.
  struct Exemplar: Sendable {
    var traceID: String
    var value: Double
    var unixSeconds: Double
  }

  struct Content: Sendable {
    /// One more than there are bounds: the last is +Inf.
    var counts: [Int]
    var sum = 0.0
    var exemplars: [Exemplar?]

    init(buckets: Int) {
      counts = Array(repeating: 0, count: buckets + 1)
      exemplars = Array(repeating: nil, count: buckets + 1)
    }
  }

  private let family: Family<Lock<Content>>
  var definition: MetricDefinition { family.definition }

  init(_ definition: MetricDefinition) {
    let buckets = definition.buckets.count
    family = Family(definition) { Lock(Content(buckets: buckets)) }
  }

  /// Counts a value; one that is not a number is left out.
  /// - Parameters:
  ///   - labels: values in the order of the definition's label names.
  ///   - traceID: 32 hexadecimal digits, shown as an exemplar.
  public func observe(_ value: Double, _ labels: String..., traceID: String? = nil) {
    guard !value.isNaN else { return }
    let index = definition.buckets.firstIndex { value <= $0 } ?? definition.buckets.count
    let exemplar = traceID.map {
      Exemplar(traceID: $0, value: value, unixSeconds: Double(Logger.systemClock().wallMicroseconds) / 1e6)
    }
    family.cell(labels).withLock { content in
      content.counts[index] += 1
      content.sum += value
      if let exemplar { content.exemplars[index] = exemplar }
    }
  }

  func write(to exposition: inout Exposition) {
    exposition.begin(definition)
    for (values, cell) in family.sorted {
      exposition.histogram(definition, values, cell.withLock { $0 })
    }
  }
}
