import Synchronization

/// A number that only grows.
public final class Counter: Metric {
  /// One series of a counter, to keep where it is counted often.
  public final class Series: Sendable {
    private let value = Atomic<Int>(0)

    public func increment(by amount: Int = 1) { value.wrappingAdd(max(amount, 0), ordering: .relaxed) }
    public var current: Int { value.load(ordering: .relaxed) }
  }

  private let family: Family<Series>
  var definition: MetricDefinition { family.definition }

  init(_ definition: MetricDefinition) { family = Family(definition) { Series() } }

  /// - Parameter labels: values in the order of the definition's label names.
  public func increment(_ labels: String..., by amount: Int = 1) { family.cell(labels).increment(by: amount) }
  public func series(_ labels: String...) -> Series { family.cell(labels) }

  func write(to exposition: inout Exposition) {
    exposition.begin(definition)
    for (values, series) in family.sorted {
      exposition.sample(definition.name, definition.labels, values, Double(series.current))
    }
  }
}
