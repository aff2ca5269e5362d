/// Keeps truth records tightly: texts once each, numbers narrow, in blocks that never move. A run of 200,000 phones
/// writes millions of them.
struct RecordStore {
  private static let blockRecords = 65_536

  /// One record in 64 bytes.
  private struct Packed {
    var at: Int64
    var real: Int64
    var number: Int64
    var arrival: Int64
    var phone: UInt32
    var order: UInt32
    var card: UInt32
    var push: UInt32
    var word: UInt32
    var text: UInt32
    var stage: UInt16
    var status: UInt16
    var kind: UInt8
    var priority: UInt8
    var flags: UInt8
  }

  private static let rings: UInt8 = 1
  private static let hasNumber: UInt8 = 2
  private static let hasArrival: UInt8 = 4
  private static let hasText: UInt8 = 8

  private var blocks: [[Packed]] = []
  private var texts: [String] = [""]
  private var numbers: [String: UInt32] = ["": 0]
  private(set) var count = 0

  mutating func append(_ record: TruthRecord) {
    if count % Self.blockRecords == 0 {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(count == 0 ? 1_024 : Self.blockRecords)
    }
    let packed = pack(record)
    blocks[blocks.count - 1].append(packed)
    count += 1
  }

  private mutating func pack(_ record: TruthRecord) -> Packed {
    var flags: UInt8 = record.rings ? Self.rings : 0
    if record.number != nil { flags |= Self.hasNumber }
    if record.arrival != nil { flags |= Self.hasArrival }
    if record.text != nil { flags |= Self.hasText }
    return Packed(
      at: record.at.micros, real: record.real.micros, number: record.number ?? 0, arrival: record.arrival ?? 0,
      phone: number(of: record.phone), order: number(of: record.order), card: UInt32(clamping: record.card),
      push: UInt32(clamping: record.push), word: number(of: record.word), text: number(of: record.text ?? ""),
      stage: record.stage.rawValue, status: UInt16(clamping: record.status), kind: record.kind.number,
      priority: UInt8(clamping: record.priority), flags: flags)
  }

  private mutating func number(of text: String) -> UInt32 {
    if let known = numbers[text] { return known }
    let next = UInt32(clamping: texts.count)
    texts.append(text)
    numbers[text] = next
    return next
  }

  /// In the order of writing.
  func visit(_ body: (TruthRecord) -> Void) {
    for block in blocks {
      for packed in block { body(unpack(packed)) }
    }
  }

  private func unpack(_ packed: Packed) -> TruthRecord {
    var record = TruthRecord(TruthRecord.Kind.allCases[Int(packed.kind)])
    record.at = Moment(micros: packed.at)
    record.real = Moment(micros: packed.real)
    record.phone = texts[Int(packed.phone)]
    record.order = texts[Int(packed.order)]
    record.card = Int(packed.card)
    record.push = Int(packed.push)
    record.word = texts[Int(packed.word)]
    if packed.flags & Self.hasText != 0 { record.text = texts[Int(packed.text)] }
    if packed.flags & Self.hasNumber != 0 { record.number = packed.number }
    if packed.flags & Self.hasArrival != 0 { record.arrival = packed.arrival }
    record.stage = Steps(rawValue: packed.stage)
    record.status = Int(packed.status)
    record.priority = Int(packed.priority)
    record.rings = packed.flags & Self.rings != 0
    return record
  }
}

extension TruthRecord.Kind {
  fileprivate static let numbers = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($0.element, UInt8(clamping: $0.offset)) })

  fileprivate var number: UInt8 { Self.numbers[self] ?? 0 }
}
