import Domain

/// A delivery as stored in the order's row: JSON, times in microseconds.
///
/// Registers are flat lists `[mark, value, mark, value, ...]`; a mark is an index into `marks`, since one event usually
/// sets several fields: `[space, sequence, time, content]` with `space` an index into `spaces`, `[name, rank]`.
public enum DeliveryRecord {
  static let version: Int64 = 1

  public static func encode(_ delivery: Delivery) -> [UInt8] {
    var writer = DeliveryWriter()
    writer.write(delivery)
    return writer.json.bytes
  }

  /// Fails with a `RecordError` or `JSONError` on anything that `encode` did not write.
  public static func decode(_ bytes: [UInt8]) throws -> Delivery {
    try JSON.parse(bytes) { root in
      let reader = RecordReader(node: root, record: "delivery")
      try reader.version(version)
      var delivery = try Delivery(id: OrderID(reader.text("id")))
      delivery.heardAt = try reader.time("heardAt")
      delivery.isForgotten = reader.flag("isForgotten")
      delivery.refreshAt = reader.optionalTime("refreshAt")
      delivery.snapshot = try root["snapshot"].map(SnapshotRecord.read)
      let registers = try RegisterReader(root)
      try registers.read(into: &delivery.fields)
      try registers.read(into: &delivery.happenings)
      try registers.read(into: &delivery.latch)
      return delivery
    }
  }
}

extension DeliveryWriter {
  mutating func write(_ delivery: Delivery) {
    json.beginObject()
    json.member("v", DeliveryRecord.version)
    json.member("id", delivery.id.text)
    json.member("heardAt", delivery.heardAt.microseconds)
    if delivery.isForgotten { json.member("isForgotten", true) }
    json.member("refreshAt", delivery.refreshAt?.microseconds)
    if let snapshot = delivery.snapshot {
      json.key("snapshot")
      SnapshotRecord.write(snapshot, to: &json)
    }
    write(delivery.fields)
    write(delivery.happenings)
    write(delivery.latch)
    writeMarks()
    json.endObject()
  }

  private mutating func write(_ latch: ShownLatch) {
    if let reopening = latch.reopening {
      json.key("life")
      json.int(index(of: reopening))
    }
    json.member("nearSince", latch.nearSince?.microseconds)
    if latch.hasArrived { json.member("hasArrived", true) }
    if latch.overdueSteps > 0 { json.member("overdueSteps", latch.overdueSteps) }
  }
}

extension RegisterReader {
  func read(into latch: inout ShownLatch) throws {
    let reader = RecordReader(node: root, record: "delivery")
    latch.reopening = try root["life"].map { try mark($0) }
    latch.nearSince = reader.optionalTime("nearSince")
    latch.hasArrived = reader.flag("hasArrived")
    latch.overdueSteps = reader.optionalInteger("overdueSteps").flatMap(Int.init(exactly:)) ?? 0
  }
}
