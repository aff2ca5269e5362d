import Domain

/// Rides in CSV: a header that names at least `trip_id`, `t_s`, `lat` and `lon`; rows of one trip stand together.
///
/// A column `direct` (1 or 0), where there is one, says which trips are delivery-like; the others are left out.
enum CSVTrips {
  private struct Columns {
    var trip = 0
    var seconds = 0
    var latitude = 0
    var longitude = 0
    var direct: Int?

    init(header: [Substring], name: String) throws(TripFileError) {
      let names = header.map { $0.lowercased() }
      trip = try Self.find("trip_id", in: names, name)
      seconds = try Self.find("t_s", in: names, name)
      latitude = try Self.find("lat", in: names, name)
      longitude = try Self.find("lon", in: names, name)
      direct = names.firstIndex(of: "direct")
    }

    private static func find(_ column: String, in names: [String], _ name: String) throws(TripFileError) -> Int {
      guard let index = names.firstIndex(of: column) else {
        throw TripFileError("\(name) line 1: no column \(column); expected a header with trip_id, t_s, lat and lon")
      }
      return index
    }
  }

  static func read(_ bytes: [UInt8], name: String) throws(TripFileError) -> [Trip] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    let columns = try Columns(header: fields(lines.popFirst() ?? []), name: name)
    var trips: [Trip] = []
    var id: Substring = ""
    var points: [Trip.Point] = []
    for (number, line) in zip(2..., lines) {
      let row = fields(line)
      if row.count == 1 && row[0].isEmpty { continue }
      if let direct = columns.direct, direct < row.count, row[direct] == "0" { continue }
      guard let point = point(row, columns) else {
        throw TripFileError("\(name) line \(number): t_s, lat or lon is missing or not a number in range")
      }
      guard number <= TripReader.pointsMax else {
        throw TripFileError("\(name) has more than \(TripReader.pointsMax) rows: split it")
      }
      if row[columns.trip] != id {
        if let trip = Trip(id: String(id), points: points) { trips.append(trip) }
        id = row[columns.trip]
        points.removeAll()
      }
      points.append(point)
    }
    if let trip = Trip(id: String(id), points: points) { trips.append(trip) }
    return trips
  }

  private static func point(_ row: [Substring], _ columns: Columns) -> Trip.Point? {
    guard max(columns.trip, columns.seconds, columns.latitude, columns.longitude) < row.count else { return nil }
    guard let seconds = Double(row[columns.seconds]), seconds.isFinite, abs(seconds) < 1e9 else { return nil }
    guard let latitude = Double(row[columns.latitude]), let longitude = Double(row[columns.longitude]) else {
      return nil
    }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
    return Trip.Point(seconds: seconds, coordinate: coordinate)
  }

  private static func fields(_ line: ArraySlice<UInt8>) -> [Substring] {
    var text = Substring(String(decoding: line, as: UTF8.self))
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    if text.hasSuffix("\r") { text.removeLast() }
    return text.split(separator: ",", omittingEmptySubsequences: false).map { field in
      field.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"") ? field.dropFirst().dropLast() : field
    }
  }
}
