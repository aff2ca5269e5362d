import Synchronization

/// A number that goes up and down.
public final class Gauge: Metric {
  /// One series of a gauge.
  public final class Series: Sendable {
    private let bits = Atomic<UInt64>(0)

    public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    public var current: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
  }

  private let family: Family<Series>
  var definition: MetricDefinition { family.definition }

  init(_ definition: MetricDefinition) { family = Family(definition) { Series() } }

  /// - Parameter labels: values in the order of the definition's label names.
  public func set(_ value: Double, _ labels: String...) { family.cell(labels).set(value) }

  /// Replaces all series at once: what is not among them is gone (a partition that was revoked).
  public func replace(_ values: [[String]: Double]) {
    let kept = values.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(definition.seriesMax)
    family.replace(
      Dictionary(
        uniqueKeysWithValues: kept.map { key, value in
          let series = Series()
          series.set(value)
          return (key, series)
        }))
  }

  func write(to exposition: inout Exposition) {
    exposition.begin(definition)
    for (values, series) in family.sorted {
      exposition.sample(definition.name, definition.labels, values, series.current)
    }
  }
}
