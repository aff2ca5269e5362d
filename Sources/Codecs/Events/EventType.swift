import Domain

/// The event types of docs/interface.md, by the words of the built-in form.
enum EventType: Equatable, Sendable {
  case stage(Stage)
  case riderAssigned, riderUnassigned, riderAtStore, updated, reopened
  case position, offline, online

  private static let words: [(word: StaticString, type: EventType)] = [
    ("rider.location", .position), ("order.placed", .stage(.placed)), ("order.accepted", .stage(.accepted)),
    ("order.preparing", .stage(.preparing)), ("order.ready", .stage(.ready)),
    ("order.rider_assigned", .riderAssigned), ("order.rider_unassigned", .riderUnassigned),
    ("order.rider_at_store", .riderAtStore), ("order.picked_up", .stage(.pickedUp)),
    ("order.delivering", .stage(.delivering)), ("order.arriving", .stage(.arriving)),
    ("order.delivered", .stage(.delivered)), ("order.cancelled", .stage(.cancelled)),
    ("order.failed", .stage(.failed)), ("order.returning", .stage(.returning)),
    ("order.returned", .stage(.returned)), ("order.updated", .updated), ("order.reopened", .reopened),
    ("rider.offline", .offline), ("rider.online", .online),
  ]

  /// nil for a word that is not in the list, exactly as written: case and spaces count.
  init?(_ word: UnsafeBufferPointer<UInt8>) {
    guard let found = Self.words.first(where: { word.equals($0.word) }) else { return nil }
    self = found.type
  }

  static var allWords: [String] { words.map { "\($0.word)" } }

  var role: TopicRole {
    switch self {
    case .position, .offline, .online: .riders
    default: .orders
    }
  }
}
