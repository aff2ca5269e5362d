/// FNV-1a over what an event says: decides between two events that claim one sequence, the same on every machine.
struct ContentDigest {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  mutating func add(_ text: String?) {
    guard let text else { return add(0) }
    for byte in text.utf8 { add(byte) }
    add(0xff)
  }

  mutating func add(_ number: Int64?) {
    guard let number else { return add(0) }
    add(1)
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }

  mutating func add(_ time: Instant?) { add(time?.microseconds) }

  mutating func add(_ place: Coordinate?) {
    add(place.map { Int64(bitPattern: $0.latitude.bitPattern) })
    add(place.map { Int64(bitPattern: $0.longitude.bitPattern) })
  }
}

extension OrderEvent {
  /// The event's place among the others of its order.
  public var mark: Mark {
    var digest = ContentDigest()
    digest.add(what.name)
    if case .reopened(let stage) = what { digest.add(stage.name) }
    changes.digest(into: &digest)
    return Mark(stamp: stamp, content: digest.value)
  }
}

extension OrderChanges {
  func digest(into digest: inout ContentDigest) {
    for text in [user?.text, placedBy?.text, app, kind, store?.id, store?.name, rider?.id.text, rider?.name] {
      digest.add(text)
    }
    for text in [rider?.vehicle, reason, cancelledBy] { digest.add(text) }
    for place in [store?.location, destination, rider?.location] { digest.add(place) }
    for time in [promisedAt, schedule?.from, schedule?.to, estimatedReadyAt, platformArrival, deliveredAt] {
      digest.add(time)
    }
    digest.add(stopsBefore.map(Int64.init))
    for (name, value) in (attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
      digest.add(name)
      digest.add(value)
    }
  }
}
