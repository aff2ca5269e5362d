/// A WGS 84 position in degrees. Only legal positions can be made: finite, |latitude| <= 90, |longitude| <= 180.
public struct Coordinate: Hashable, Sendable {
  public let latitude: Double
  public let longitude: Double

  public init?(latitude: Double, longitude: Double) {
    guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// One measured position of a rider.
public struct Fix: Hashable, Sendable {
  public var coordinate: Coordinate
  /// When it was measured (the event's `time`).
  public var time: Instant
  public var accuracyMeters: Double?
  public var speedMetersPerSecond: Double?
  public var headingDegrees: Double?

  public init(
    coordinate: Coordinate, time: Instant, accuracyMeters: Double? = nil, speedMetersPerSecond: Double? = nil,
    headingDegrees: Double? = nil
  ) {
    self.coordinate = coordinate
    self.time = time
    self.accuracyMeters = accuracyMeters
    self.speedMetersPerSecond = speedMetersPerSecond
    self.headingDegrees = headingDegrees
  }
}
