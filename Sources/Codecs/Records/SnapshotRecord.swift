import Domain

/// A snapshot as stored in the order's row: JSON, times in microseconds.
public enum SnapshotRecord {
  static let version: Int64 = 1

  public static func encode(_ snapshot: Snapshot) -> [UInt8] {
    var json = JSONWriter(capacity: 384)
    write(snapshot, to: &json)
    return json.bytes
  }

  public static func decode(_ bytes: [UInt8]) throws -> Snapshot { try JSON.parse(bytes) { try read($0) } }

  static func write(_ snapshot: Snapshot, to json: inout JSONWriter) {
    json.beginObject()
    json.member("v", version)
    json.member("sequence", snapshot.sequence)
    json.member("life", snapshot.life)
    json.member("stage", snapshot.stage.name)
    json.member("stageStarted", snapshot.stageStarted.microseconds)
    json.member("computed", snapshot.computed.microseconds)
    json.member("placed", snapshot.placed.microseconds)
    json.member("riderPhase", snapshot.riderPhase.name)
    json.member("stopsBefore", snapshot.stopsBefore)
    json.member("arrival", snapshot.arrival?.microseconds)
    json.member("earliest", snapshot.earliest?.microseconds)
    json.member("latest", snapshot.latest?.microseconds)
    json.member("remainingMeters", snapshot.remainingMeters)
    json.member("progress", snapshot.progress)
    json.member("riderName", snapshot.riderName)
    json.member("isDelayed", snapshot.isDelayed)
    json.member("storeName", snapshot.storeName)
    json.endObject()
  }

  static func read(_ node: JSONNode) throws -> Snapshot {
    let reader = RecordReader(node: node, record: "snapshot")
    try reader.version(version)
    let phaseName = try reader.text("riderPhase")
    let phase = try reader.require(RiderPhase.allCases.first { $0.name == phaseName }, "riderPhase")
    let life = try reader.require(Int32(exactly: reader.integer("life")), "life")
    var snapshot = try Snapshot(
      sequence: reader.integer("sequence"), life: life, stage: reader.stage("stage"),
      stageStarted: reader.time("stageStarted"), computed: reader.time("computed"), riderPhase: phase,
      progress: reader.number("progress"), placed: reader.time("placed"))
    snapshot.stopsBefore = reader.optionalInteger("stopsBefore").flatMap(Int.init(exactly:))
    snapshot.arrival = reader.optionalTime("arrival")
    snapshot.earliest = reader.optionalTime("earliest")
    snapshot.latest = reader.optionalTime("latest")
    snapshot.remainingMeters = reader.optionalInteger("remainingMeters").flatMap(Int.init(exactly:))
    snapshot.riderName = reader.optionalText("riderName")
    snapshot.isDelayed = reader.flag("isDelayed")
    snapshot.storeName = reader.optionalText("storeName")
    return snapshot
  }
}
