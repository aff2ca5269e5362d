import APNsSimulator
import Domain
import Numerics

/// Makes rides that measure like real ones: speeds, stops, detours, gaps between fixes, noise of positions.
///
/// The same seed gives the same rides on every machine.
public struct TripModel: Sendable {
  private let figures: TripFigures

  public init(figures: TripFigures = .aracaju) {
    self.figures = figures
  }

  /// A ride that ends at `destination`, begun in any direction from it.
  public func trip(id: String, to destination: Coordinate, random: inout SeededRandom) -> Trip {
    let path = figures.pathMeters.draw(&random)
    let detour = figures.detour.draw(&random)
    let way = Way(to: destination, pathMeters: path, detour: detour, random: &random)
    let drive = Drive(pathMeters: path, figures: figures, random: &random)
    var points: [Trip.Point] = []
    var second = 0.0
    while true {
      let meters = drive.meters(after: second)
      let place = way.place(atMeters: meters)
      points.append(Trip.Point(seconds: second, coordinate: noisy(place, random: &random)))
      if meters >= path { break }
      second = min((second + figures.gapSeconds.draw(&random)).rounded(), max(drive.seconds, second + 1))
    }
    // Two points at the least: the drive lasts longer than any gap.
    return Trip(id: id, points: points) ?? straight(id: id, to: destination)
  }

  private func straight(id: String, to destination: Coordinate) -> Trip {
    let start = Trip.Point(seconds: 0, coordinate: destination.moved(east: 1_000, north: 0))
    let end = Trip.Point(seconds: 200, coordinate: destination)
    guard let trip = Trip(id: id, points: [start, end]) else { preconditionFailure("two points are a trip") }
    return trip
  }

  /// A stand step is the difference of two errors, so an error is drawn smaller by the square root of two.
  private func noisy(_ place: Coordinate, random: inout SeededRandom) -> Coordinate {
    let error = figures.standStepMeters.draw(&random) / 1.414
    let angle = random.uniform(0...(2 * Numerics.pi))
    return place.moved(east: error * Numerics.cos(angle), north: error * Numerics.sin(angle))
  }
}

/// Streets as a staircase about the straight line: legs of a few hundred metres that add up to the detour.
private struct Way {
  private var corners: [(meters: Double, place: Coordinate)] = []

  init(to destination: Coordinate, pathMeters: Double, detour: Double, random: inout SeededRandom) {
    let direct = pathMeters / detour
    let bearing = random.uniform(0...(2 * Numerics.pi))
    let (sine, cosine) = (Numerics.sin(bearing), Numerics.cos(bearing))
    let blocks = max(1, Int(direct / 900))
    let stride = direct / Double(blocks)
    let rise = (detour * detour - 1).squareRoot() * stride / 2
    // From the destination outwards: along the bearing, with a bulge to either side of each block.
    for step in 0...(2 * blocks) {
      let along = Double(step) * stride / 2
      let side = step.isMultiple(of: 2) ? 0 : (random.unit() < 0.5 ? rise : -rise)
      let place = destination.moved(east: along * sine + side * cosine, north: along * cosine - side * sine)
      corners.append((pathMeters - pathMeters * Double(step) / Double(2 * blocks), place))
    }
    corners.reverse()
  }

  func place(atMeters meters: Double) -> Coordinate {
    guard let next = corners.firstIndex(where: { $0.meters >= meters }), next > 0 else {
      return meters <= 0 ? corners[0].place : corners[corners.count - 1].place
    }
    let (from, to) = (corners[next - 1], corners[next])
    let part = (meters - from.meters) / (to.meters - from.meters)
    let latitude = from.place.latitude + part * (to.place.latitude - from.place.latitude)
    let longitude = from.place.longitude + part * (to.place.longitude - from.place.longitude)
    return Coordinate(latitude: latitude, longitude: longitude) ?? to.place
  }
}

/// How far along its way a rider is, second by second.
private struct Drive {
  /// Metres covered at the end of each second.
  private var covered: [Double] = [0]

  var seconds: Double { Double(covered.count - 1) }

  init(pathMeters: Double, figures: TripFigures, random: inout SeededRandom) {
    // The persistence was measured over steps of 6.6 s on average.
    let persistence = Numerics.exp(Numerics.log(figures.speedPersistence) / 6.6)
    let spread = figures.speedSpreadBetweenTrips
    let trip = spread * random.normal()
    let within = (1 - spread * spread).squareRoot()
    let metersPerStop = 1_000 / figures.stopsPerKilometer.draw(&random)
    var nextStop = metersPerStop * random.unit()
    var score = random.normal()
    var standing = 0.0
    while let meters = covered.last, meters < pathMeters, covered.count < 3 * 3_600 {
      if standing > 0 {
        standing -= 1
        covered.append(meters)
        continue
      }
      score = persistence * score + (1 - persistence * persistence).squareRoot() * random.normal()
      let share = 1 / (1 + Numerics.exp(-1.702 * (trip + within * score)))
      let speed = figures.movingMetersPerSecond.value(at: share)
      covered.append(min(pathMeters, meters + speed))
      if meters + speed >= nextStop {
        standing = figures.stopSeconds.draw(&random)
        nextStop += metersPerStop * random.uniform(0.5...1.5)
      }
    }
    if covered[covered.count - 1] < pathMeters { covered.append(pathMeters) }
  }

  func meters(after second: Double) -> Double {
    guard second < seconds else { return covered[covered.count - 1] }
    let index = Int(second)
    let part = second - Double(index)
    return covered[index] + part * (covered[index + 1] - covered[index])
  }
}
