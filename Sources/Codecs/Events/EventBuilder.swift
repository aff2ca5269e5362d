import Domain

/// Builds one event out of the fields that a reader finds.
struct EventBuilder {
  enum Built {
    case event(DeliveryEvent)
    case skipped(String)
  }

  let fields: FieldReader
  let topic: TopicRule
  let now: Instant

  func build() throws(Refusal) -> Built {
    let word = try fields.required(.type, try fields.string(.type))
    guard let type = word.withContiguousUTF8(EventType.init), type.role == topic.role || !topic.isBuiltIn else {
      return .skipped(Self.printable(word))
    }
    let subject = try fields.required(.subject, try fields.identifier(.subject))
    try checkKey(subject)
    let time = try fields.required(.time, try fields.instant(.time))
    switch type {
    case .position, .offline, .online:
      let rider = RiderID(topic.namespaces.riders + subject)
      return .event(.rider(try riderEvent(type, rider: rider, time: time)))
    default:
      let order = OrderID(topic.namespaces.orders + subject)
      return .event(.order(try orderEvent(type, order: order, time: time)))
    }
  }

  private func checkKey(_ subject: String) throws(Refusal) {
    guard fields.rule.keyIsSubject, let key = fields.record.key, !key.elementsEqual(subject.utf8) else { return }
    throw Refusal(.keyMismatch, "\(fields.label(.subject)): expected the same id as in the record's key, or no key")
  }

  private func orderEvent(_ type: EventType, order: OrderID, time: Instant) throws(Refusal) -> OrderEvent {
    let stamp = Stamp(space: topic.space, sequence: try sequence(time: time), time: time)
    let id = try eventID(sequence: stamp.sequence)
    var changes = try ChangesBuilder(fields: fields, time: time).build()
    let happening = try happening(type)
    if case .riderAssigned = happening, changes.rider == nil { throw fields.missing(.riderID) }
    if case .riderUnassigned = happening { changes.rider = nil }
    return OrderEvent(
      order: order, what: happening, stamp: stamp, eventID: id, changes: changes, traceparent: try traceparent())
  }

  /// A mapped platform may have no ids of events; they only tell events of equal sequence apart.
  private func eventID(sequence: Int64) throws(Refusal) -> String {
    guard fields.rule[.id] != nil else { return String(sequence) }
    return try fields.required(.id, try fields.identifier(.id))
  }

  private func happening(_ type: EventType) throws(Refusal) -> OrderHappening {
    switch type {
    case .stage(let stage): return .stage(stage)
    case .riderAssigned: return .riderAssigned
    case .riderUnassigned: return .riderUnassigned
    case .riderAtStore: return .riderAtStore
    case .reopened:
      let word = try fields.required(.stage, try fields.string(.stage))
      guard let stage = Stage(name: word), !stage.isTerminal else {
        throw Refusal(.unknownWord, "\(fields.label(.stage)): expected the name of a stage that is not terminal")
      }
      return .reopened(stage)
    default: return .updated
    }
  }

  /// An integer, or the decimal string that CloudEvents prescribes for its extension `sequence`.
  private func sequence(time: Instant) throws(Refusal) -> Int64 {
    guard topic.sequenceMode == .explicit else {
      try refuseFuture(time)
      return max(1, time.microseconds)
    }
    let given = try fields.required(.sequence, try fields.value(.sequence))
    let text: String? =
      switch given {
      case .text(let text): text
      case .json(let node): node.string
      }
    guard let text else { return try fields.required(.sequence, try fields.integer(.sequence, in: 1...Int64.max)) }
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw fields.wrongType(.sequence, expected: "an integer or a string of 1 to 19 digits", found: "string")
    }
    guard let number = Int64(text), number >= 1 else {
      throw fields.outOfRange(.sequence, "1 to \(Int64.max)")
    }
    return number
  }

  private func riderEvent(_ type: EventType, rider: RiderID, time: Instant) throws(Refusal) -> RiderEvent {
    try refuseFuture(time)
    let what: RiderEvent.Happening =
      switch type {
      case .offline: .offline
      case .online: .online
      default: .position(try fix(time: time))
      }
    return RiderEvent(rider: rider, what: what, time: time, traceparent: try traceparent())
  }

  private func fix(time: Instant) throws(Refusal) -> Fix {
    let coordinate = try fields.required(.latitude, try fields.coordinate(.latitude, .longitude))
    return Fix(
      coordinate: coordinate, time: time,
      accuracyMeters: try fields.number(.accuracy, in: 0...EventLimits.accuracyMetersMax),
      speedMetersPerSecond: Self.known(
        try fields.number(.speed, in: -EventLimits.speedMetersPerSecondMax...EventLimits.speedMetersPerSecondMax)),
      headingDegrees: Self.known(try fields.number(.heading, in: -360...360)))
  }

  /// Phones say "unknown" for speed and heading by a negative number.
  private static func known(_ number: Double?) -> Double? { number.flatMap { $0 < 0 ? nil : $0 } }

  private func refuseFuture(_ time: Instant) throws(Refusal) {
    guard time.since(now) > EventLimits.futureToleranceSeconds else { return }
    throw Refusal(
      .futureTime,
      "\(fields.label(.time)): lies over \(Int(EventLimits.futureToleranceSeconds)) s ahead of this service's clock")
  }

  /// A W3C trace context of version 00; anything else is not carried on.
  private func traceparent() throws(Refusal) -> String? {
    guard case let given? = try fields.value(.traceparent) else { return nil }
    let text: String? =
      switch given {
      case .text(let text): text
      case .json(let node): node.string
      }
    return text.flatMap { Self.isTraceparent($0.utf8) ? $0 : nil }
  }

  private static func isTraceparent(_ text: String.UTF8View) -> Bool {
    guard text.count == 55, text.starts(with: "00-".utf8) else { return false }
    for (position, byte) in text.enumerated() {
      let isDash = position == 2 || position == 35 || position == 52
      let isHex = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
      guard isDash ? byte == 0x2d : isHex else { return false }
    }
    return true
  }

  /// A platform's word cut to what may stand in a log line.
  static func printable(_ word: String) -> String {
    String(
      decoding: word.utf8.prefix(EventLimits.typeBytesMax).map { (0x21...0x7e).contains($0) ? $0 : 0x3f }, as: UTF8.self
    )
  }
}

extension String {
  func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var copy = self
    return copy.withUTF8(body)
  }
}
