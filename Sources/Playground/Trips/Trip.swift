import Domain
import Numerics

/// A recorded or made ride: where a rider was at so many seconds after its beginning.
public struct Trip: Sendable {
  public struct Point: Equatable, Sendable {
    public var seconds: Double
    public var coordinate: Coordinate

    public init(seconds: Double, coordinate: Coordinate) {
      self.seconds = seconds
      self.coordinate = coordinate
    }
  }

  public let id: String
  /// At least two, in order of time, the first at 0 s.
  public let points: [Point]

  /// Nil for fewer than two points. Times are shifted so that the first is 0; a point not later than the one before
  /// it is left out.
  public init?(id: String, points: [Point]) {
    guard let first = points.first else { return nil }
    var kept: [Point] = []
    kept.reserveCapacity(points.count)
    for point in points {
      let seconds = point.seconds - first.seconds
      if let last = kept.last, seconds <= last.seconds { continue }
      kept.append(Point(seconds: seconds, coordinate: point.coordinate))
    }
    guard kept.count >= 2 else { return nil }
    self.id = id
    self.points = kept
  }

  public var start: Coordinate { points[0].coordinate }
  public var end: Coordinate { points[points.count - 1].coordinate }
  public var seconds: Double { points[points.count - 1].seconds }

  /// Length along the points, in metres.
  public var pathMeters: Double {
    zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.coordinate.meters(to: $1.1.coordinate) }
  }

  /// Straight from the first point to the last, in metres.
  public var directMeters: Double { start.meters(to: end) }

  /// From one place to another one 0.8 to 12 km away, by a way of at most 1.8 times the straight line: what a delivery
  /// looks like, as opposed to a round trip or a parked car.
  public var isDeliveryLike: Bool {
    let direct = directMeters
    return (800...12_000).contains(direct) && pathMeters <= 1.8 * direct
  }

  /// The last `seconds` of it.
  public func suffix(seconds: Double) -> Trip {
    let from = self.seconds - seconds
    guard from > 0, let index = points.firstIndex(where: { $0.seconds >= from }) else { return self }
    return Trip(id: id, points: Array(points[min(index, points.count - 2)...])) ?? self
  }
}

extension Coordinate {
  /// The place so many metres to the east and north; itself where that would leave the map.
  func moved(east: Double, north: Double) -> Coordinate {
    let degree = Numerics.earthRadiusMeters * Numerics.pi / 180
    let shrink = max(0.01, Numerics.cos(latitude * Numerics.pi / 180))
    return Coordinate(latitude: latitude + north / degree, longitude: longitude + east / (degree * shrink)) ?? self
  }
}
