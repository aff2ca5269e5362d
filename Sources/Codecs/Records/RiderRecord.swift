import Domain

/// A rider's state as stored: JSON, times in microseconds.
public enum RiderRecord {
  static let version: Int64 = 1

  public static func encode(_ rider: RiderState) -> [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.beginObject()
    json.member("v", version)
    json.member("id", rider.id.text)
    json.member("isOnline", rider.isOnline)
    json.member("onlineAt", rider.onlineAt?.microseconds)
    if let fix = rider.lastFix { write(fix, "lastFix", to: &json) }
    if let suspect = rider.suspect {
      write(suspect.fix, "suspect", to: &json)
      json.member("agreeing", suspect.agreeing)
    }
    json.endObject()
    return json.bytes
  }

  public static func decode(_ bytes: [UInt8]) throws -> RiderState {
    try JSON.parse(bytes) { root in
      let reader = RecordReader(node: root, record: "rider")
      try reader.version(version)
      var rider = try RiderState(id: RiderID(reader.text("id")))
      rider.isOnline = reader.flag("isOnline")
      rider.onlineAt = reader.optionalTime("onlineAt")
      rider.lastFix = try root["lastFix"].map(readFix)
      if let suspect = try root["suspect"].map(readFix) {
        rider.suspect = try RiderState.Suspect(
          fix: suspect, agreeing: reader.require(Int(exactly: reader.integer("agreeing")), "agreeing"))
      }
      return rider
    }
  }

  private static func write(_ fix: Fix, _ name: StaticString, to json: inout JSONWriter) {
    json.key(name)
    json.beginObject()
    json.member("latitude", fix.coordinate.latitude)
    json.member("longitude", fix.coordinate.longitude)
    json.member("time", fix.time.microseconds)
    json.member("accuracyMeters", fix.accuracyMeters)
    json.member("speed", fix.speedMetersPerSecond)
    json.member("heading", fix.headingDegrees)
    json.endObject()
  }

  private static func readFix(_ node: JSONNode) throws -> Fix {
    let reader = RecordReader(node: node, record: "rider's position")
    let place = try Coordinate(latitude: reader.number("latitude"), longitude: reader.number("longitude"))
    return try Fix(
      coordinate: reader.require(place, "latitude"), time: reader.time("time"),
      accuracyMeters: node["accuracyMeters"]?.double, speedMetersPerSecond: node["speed"]?.double,
      headingDegrees: node["heading"]?.double)
  }
}
