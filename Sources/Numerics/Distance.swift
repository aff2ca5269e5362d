extension Numerics {
  /// Mean radius of the earth (IUGG), metres.
  public static let earthRadiusMeters = 6_371_008.8

  /// Great-circle distance in metres between two positions in degrees (haversine); good at any distance.
  public static func distanceMeters(
    latitude1: Double, longitude1: Double, latitude2: Double, longitude2: Double
  ) -> Double {
    let degree = pi / 180
    let sineLatitude = sin((latitude2 - latitude1) * degree / 2)
    let sineLongitude = sin((longitude2 - longitude1) * degree / 2)
    let chord =
      sineLatitude * sineLatitude
      + cos(latitude1 * degree) * cos(latitude2 * degree) * sineLongitude * sineLongitude
    let bounded = min(max(chord, 0), 1)
    return 2 * earthRadiusMeters * atan2(bounded.squareRoot(), (1 - bounded).squareRoot())
  }

  /// Flat approximation in metres: within 0.1 % of the great circle below 50 km outside the polar regions, and
  /// several times cheaper.
  public static func shortDistanceMeters(
    latitude1: Double, longitude1: Double, latitude2: Double, longitude2: Double
  ) -> Double {
    let degree = pi / 180
    var turn = longitude2 - longitude1
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    let x = turn * degree * cos((latitude1 + latitude2) * degree / 2)
    let y = (latitude2 - latitude1) * degree
    return earthRadiusMeters * (x * x + y * y).squareRoot()
  }
}
