import APNsSimulator
import Domain
import Testing

@testable import Playground

/// Made-up rides measure like the real ones whose figures are committed.
struct TripModelTests {
  private static let seed: UInt64 = 20_261_201
  private static let trips: [Trip] = {
    var random = SeededRandom(seed: seed)
    let model = TripModel()
    guard let home = Coordinate(latitude: -10.94, longitude: -37.07) else { return [] }
    return (1...400).map { model.trip(id: "\($0)", to: home, random: &random) }
  }()

  private let figures = TripFigures.aracaju
  private let measured = TripMeasurement(Self.trips)

  /// Each quartile within `tolerance` of the real one, relatively or by `slack` units of the figure.
  private func expect(
    _ values: [Double], like real: Quantiles, within tolerance: Double, slack: Double = 0, _ name: Comment
  ) {
    for share in [0.25, 0.5, 0.75] {
      let (made, wanted) = (quantile(values, share), real.value(at: share))
      let allowed = max(tolerance * wanted, slack)
      #expect(abs(made - wanted) <= allowed, "\(name) at \(share): \(made), real \(wanted), seed \(Self.seed)")
    }
  }

  @Test func lengthsAndDetours() {
    expect(measured.pathMeters, like: figures.pathMeters, within: 0.15, "path")
    expect(measured.detours, like: figures.detour, within: 0.15, "detour")
  }

  @Test func speeds() {
    expect(measured.movingSpeeds, like: figures.movingMetersPerSecond, within: 0.25, "moving speed")
    expect(measured.meanSpeeds, like: figures.metersPerSecond, within: 0.25, "mean speed")
    expect(measured.tripSeconds, like: figures.tripSeconds, within: 0.25, "duration")
  }

  @Test func stops() {
    expect(measured.stopsPerKilometer, like: figures.stopsPerKilometer, within: 0.3, "stops per kilometre")
    expect(measured.stopSeconds, like: figures.stopSeconds, within: 0.35, slack: 6, "stop")
    expect(measured.stopShares, like: figures.stopShare, within: 0.3, slack: 0.06, "share of time at stops")
  }

  @Test func gapsAndNoise() {
    expect(measured.gaps, like: figures.gapSeconds, within: 0.15, slack: 1, "gap")
    expect(measured.standSteps, like: figures.standStepMeters, within: 0.35, slack: 0.7, "step while standing")
  }

  @Test func everyRideReachesItsDestination() {
    let far = Self.trips.filter { $0.end.meters(to: Self.trips[0].end) > 20 }
    #expect(far.map(\.id) == [])
    #expect(Self.trips.filter(\.isDeliveryLike).count > 380)
  }

  @Test func theSameSeedMakesTheSameRides() throws {
    let home = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
    var first = SeededRandom(seed: 7)
    var second = SeededRandom(seed: 7)
    let made = TripModel().trip(id: "a", to: home, random: &first)
    let again = TripModel().trip(id: "a", to: home, random: &second)
    #expect(made.points == again.points)
  }
}

func quantile(_ values: [Double], _ share: Double) -> Double {
  let sorted = values.sorted()
  guard let last = sorted.last else { return .nan }
  let place = share * Double(sorted.count - 1)
  let index = Int(place)
  guard index + 1 < sorted.count else { return last }
  return sorted[index] + (place - Double(index)) * (sorted[index + 1] - sorted[index])
}

/// The same quantities as in `TripFigures`, measured on trips.
struct TripMeasurement {
  var pathMeters: [Double] = []
  var detours: [Double] = []
  var tripSeconds: [Double] = []
  var meanSpeeds: [Double] = []
  var movingSpeeds: [Double] = []
  var stopsPerKilometer: [Double] = []
  var stopSeconds: [Double] = []
  var stopShares: [Double] = []
  var gaps: [Double] = []
  var standSteps: [Double] = []

  init(_ trips: [Trip]) {
    for trip in trips { add(trip) }
  }

  private mutating func add(_ trip: Trip) {
    let points = trip.points
    let steps: [(meters: Double, seconds: Double)] = points.indices.dropFirst().map { index in
      let (from, to) = (points[index - 1], points[index])
      return (from.coordinate.meters(to: to.coordinate), to.seconds - from.seconds)
    }
    let path = trip.pathMeters
    pathMeters.append(path)
    detours.append(path / trip.directMeters)
    tripSeconds.append(trip.seconds)
    meanSpeeds.append(path / trip.seconds)
    gaps += steps.map(\.seconds)
    standSteps += steps.filter { $0.meters <= 0.5 * $0.seconds }.map(\.meters)
    movingSpeeds += steps.filter { $0.meters > $0.seconds }.map { $0.meters / $0.seconds }
    var stops: [Double] = []
    var standing = false
    for step in steps {
      let stands = step.meters <= step.seconds
      if stands && standing { stops[stops.count - 1] += step.seconds } else if stands { stops.append(step.seconds) }
      standing = stands
    }
    stopSeconds += stops
    stopsPerKilometer.append(Double(stops.count) / (path / 1_000))
    stopShares.append(stops.reduce(0, +) / trip.seconds)
  }
}
