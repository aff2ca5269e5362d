/// The raw logs: every record and every published event, kept for the oracle and handed on as JSON lines to whoever
/// keeps them on disk.
public final class TruthLog {
  public enum Stream: Sendable { case truth, published }

  private var store = RecordStore()
  public private(set) var published: [PublishedEvent] = []
  public private(set) var violations = 0
  private let sink: ((Stream, [UInt8]) -> Void)?
  /// The run is over: what still happens belongs neither to the report nor to the logs that are recounted.
  private var isClosed = false

  /// `sink` gets each line without its line end.
  public init(sink: ((Stream, [UInt8]) -> Void)? = nil) {
    self.sink = sink
  }

  func close() { isClosed = true }

  func write(_ record: TruthRecord) {
    guard !isClosed else { return }
    store.append(record)
    if record.kind == .violation { violations += 1 }
    sink?(.truth, record.line)
  }

  /// All records in the order of writing; unpacked anew at each call.
  public var records: [TruthRecord] {
    var list: [TruthRecord] = []
    list.reserveCapacity(store.count)
    store.visit { list.append($0) }
    return list
  }

  func visit(_ body: (TruthRecord) -> Void) { store.visit(body) }

  func publish(_ events: [PublishedEvent]) {
    guard !isClosed else { return }
    published += events
    guard let sink else { return }
    for event in events { sink(.published, event.line) }
  }
}
