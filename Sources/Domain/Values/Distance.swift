import Numerics

extension Coordinate {
  /// Great-circle distance in metres.
  public func meters(to other: Coordinate) -> Double {
    Numerics.distanceMeters(
      latitude1: latitude, longitude1: longitude, latitude2: other.latitude, longitude2: other.longitude)
  }
}
