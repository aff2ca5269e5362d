/// What a metric is, apart from its values. All of them stand in MetricTable.swift.
public struct MetricDefinition: Sendable {
  public enum Kind: String, Sendable { case counter, gauge, histogram }

  /// With `doorstep_` or `process_` in front, a base unit and, for counters, `_total` at its end.
  public let name: String
  public let kind: Kind
  public let help: String
  /// Names of the labels, in the order in which values are given.
  public let labels: [String]
  /// Upper bounds of a histogram's buckets, rising; +Inf is added.
  public let buckets: [Double]
  /// Combinations of label values that get a series of their own; all further ones share one with `other` in each.
  public let seriesMax: Int

  init(
    _ kind: Kind, _ name: String, _ help: String, labels: [String] = [], buckets: [Double] = [], seriesMax: Int = 40
  ) {
    self.kind = kind
    self.name = name
    self.help = help
    self.labels = labels
    self.buckets = buckets
    self.seriesMax = seriesMax
  }
}

/// A metric with its values, ready to be written.
protocol Metric: Sendable {
  var definition: MetricDefinition { get }
  func write(to exposition: inout Exposition)
}
