import Domain

/// Typed reads: each gives a legal value, nil when the event says nothing, or a refusal that names the field.
extension FieldReader {
  func required<Value>(_ field: EventField, _ value: Value?) throws(Refusal) -> Value {
    guard let value else { throw missing(field) }
    return value
  }

  /// A name given by the platform: 1 to 200 bytes of UTF-8 without control characters, kept byte for byte.
  func identifier(_ field: EventField) throws(Refusal) -> String? {
    guard let text = try string(field) else { return nil }
    guard Self.isIdentifier(text.utf8) else {
      throw Refusal(
        .badIdentifier,
        "\(label(field)): expected 1 to \(EventLimits.identifierBytesMax) bytes without control characters")
    }
    let namespace = rule[field]?.namespace ?? ""
    return namespace.isEmpty ? text : namespace + text
  }

  static func isIdentifier(_ text: String.UTF8View) -> Bool {
    (1...EventLimits.identifierBytesMax).contains(text.count) && text.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// A text for people: without U+0000, cut at `EventLimits.textBytesMax`; blank texts count as absent.
  func text(_ field: EventField) throws(Refusal) -> String? {
    guard var text = try string(field) else { return nil }
    if text.utf8.contains(0) { text.unicodeScalars.removeAll { $0.value == 0 } }
    let cut = text.cut(toBytes: EventLimits.textBytesMax)
    return cut.allSatisfy(\.isWhitespace) ? nil : cut
  }

  func string(_ field: EventField) throws(Refusal) -> String? {
    switch try value(field) {
    case nil: return nil
    case .text(let text): return text
    case .json(let node):
      if let text = node.string { return text }
      if rule[field]?.origin != nil, let number = node.int64 { return String(number) }
      throw wrongType(field, expected: "a string", found: node.kind.rawValue)
    }
  }

  func instant(_ field: EventField) throws(Refusal) -> Instant? {
    guard let value = try value(field) else { return nil }
    let format = rule[field]?.time ?? .rfc3339
    guard let instant = try format == .rfc3339 ? dateTime(value, field) : unixTime(value, format, field) else {
      let expected = format == .rfc3339 ? "an RFC 3339 date-time with offset" : "a number of \(format.rawValue)"
      throw Refusal(.badTime, "\(label(field)): expected \(expected), from 1970 to 9999, that exists")
    }
    return instant
  }

  private func dateTime(_ value: FieldValue, _ field: EventField) throws(Refusal) -> Instant? {
    switch value {
    case .text(let text): return RFC3339.parse(text)
    case .json(let node):
      guard let text = node.utf8 else {
        throw wrongType(field, expected: "an RFC 3339 date-time", found: node.kind.rawValue)
      }
      return RFC3339.parse(text)
    }
  }

  private func unixTime(
    _ value: FieldValue, _ format: TimeFormat, _ field: EventField
  ) throws(Refusal) -> Instant? {
    guard let number = try numeric(value, field) else { return nil }
    let perSecond: Double =
      switch format {
      case .unixMilliseconds: 1_000
      case .unixMicroseconds: 1_000_000
      default: 1
      }
    let microseconds = number / perSecond * 1_000_000
    guard microseconds >= 0, microseconds <= 253_402_300_800_000_000 else { return nil }
    return Instant(microseconds: Int64(microseconds + 0.5))
  }

  /// A whole number within `range`.
  func integer(_ field: EventField, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
    guard let value = try value(field) else { return nil }
    let number: Int64?
    switch value {
    case .text(let text): number = Int64(text)
    case .json(let node) where node.string != nil && rule[field]?.acceptsNumericText == true:
      number = node.string.flatMap { Int64($0) }
    case .json(let node):
      guard node.uint64 == nil || node.int64 != nil else { throw outOfRange(field, range) }
      number = node.int64
    }
    guard let number else {
      throw wrongType(field, expected: "an integer without fraction or exponent", found: value.kindName)
    }
    guard range.contains(number) else { throw outOfRange(field, range) }
    return number
  }

  /// A number within `range`, after the rule's unit was applied.
  func number(_ field: EventField, in range: ClosedRange<Double>) throws(Refusal) -> Double? {
    guard let value = try value(field) else { return nil }
    guard let given = try numeric(value, field) else {
      throw wrongType(field, expected: "a number", found: value.kindName)
    }
    let number = (rule[field]?.unit ?? .asIs).convert(given)
    guard number.isFinite, range.contains(number) else {
      throw outOfRange(field, range)
    }
    return number
  }

  private func numeric(_ value: FieldValue, _ field: EventField) throws(Refusal) -> Double? {
    switch value {
    case .text(let text): return Double(text).flatMap { $0.isFinite ? $0 : nil }
    case .json(let node):
      if let number = node.double { return number }
      if rule[field]?.acceptsNumericText == true, let text = node.string {
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
      }
      throw wrongType(field, expected: "a number", found: node.kind.rawValue)
    }
  }

  func coordinate(_ latitude: EventField, _ longitude: EventField) throws(Refusal) -> Coordinate? {
    let north = try number(latitude, in: -90...90)
    let east = try number(longitude, in: -180...180)
    if north == nil, east == nil { return nil }
    let (givenNorth, givenEast) = (try required(latitude, north), try required(longitude, east))
    return Coordinate(latitude: givenNorth, longitude: givenEast)
  }

  private func outOfRange(_ field: EventField, _ range: ClosedRange<some Any>) -> Refusal {
    outOfRange(field, "\(range.lowerBound) to \(range.upperBound)")
  }

  func outOfRange(_ field: EventField, _ expected: String) -> Refusal {
    Refusal(.outOfRange, "\(label(field)): expected \(expected)")
  }
}

extension String {
  /// The longest beginning of at most `bytes` bytes of UTF-8 that ends at a visible character's boundary.
  func cut(toBytes bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var end = startIndex
    var size = 0
    while end < endIndex {
      let next = index(after: end)
      size += self[end..<next].utf8.count
      if size > bytes { break }
      end = next
    }
    return String(self[..<end])
  }
}
