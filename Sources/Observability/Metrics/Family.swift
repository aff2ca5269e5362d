import Runtime

/// The series of one metric by label values. Bounded: what comes after `seriesMax` goes to a shared `other` series.
final class Family<Cell: Sendable>: Sendable {
  let definition: MetricDefinition
  private let make: @Sendable () -> Cell
  private let cells: Lock<[[String]: Cell]>

  init(_ definition: MetricDefinition, make: @escaping @Sendable () -> Cell) {
    self.definition = definition
    self.make = make
    // A metric without labels is shown from the beginning, with 0.
    cells = Lock(definition.labels.isEmpty ? [[]: make()] : [:])
  }

  func cell(_ values: [String]) -> Cell {
    cells.withLock { cells in
      if let cell = cells[values] { return cell }
      let isFull = cells.count >= definition.seriesMax || values.count != definition.labels.count
      let key = isFull ? definition.labels.map { _ in "other" } : values
      if let cell = cells[key] { return cell }
      let cell = make()
      cells[key] = cell
      return cell
    }
  }

  func replace(_ values: [[String]: Cell]) { cells.withLock { $0 = values } }

  /// In the order of the label values, so that two scrapes read alike.
  var sorted: [(values: [String], cell: Cell)] {
    cells.withLock { cells in cells.map { (values: $0.key, cell: $0.value) } }
      .sorted { $0.values.lexicographicallyPrecedes($1.values) }
  }
}
