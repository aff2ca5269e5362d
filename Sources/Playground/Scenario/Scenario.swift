import APNsSimulator
import Codecs
import Domain

/// A stretch of a city's deliveries, planned in card seconds from its beginning: seeded, so the same each time.
struct Scenario: Sendable {
  enum Step: Sendable {
    case checkout(Checkout)
    case event(PlannedEvent)
    case action(PhoneAction)
    case badRecord(BadRecord)
  }

  /// Card seconds that a scenario lasts, given enough speed; then everything has ended.
  static let secondsMax = 9_000.0
  /// Kept free behind the last delivery, for ends to arrive.
  static let quietSeconds = 300.0
  /// Rides are cut to their last part of this length.
  static let driveSecondsMax = 2_700.0

  let phones: [PhonePlan]
  /// In order of time.
  let steps: [(at: Double, step: Step)]
  let orders: Int
  let seconds: Double

  /// - Parameters:
  ///   - trips: laid under the orders in turn; made-up ones where there are none.
  ///   - seconds: card seconds that there are for all of it, at most `secondsMax`; where that is less than life takes,
  ///     stages are shortened and only the last part of each ride is driven.
  init(orders: Int, trips: [Trip], seconds: Double, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let model = TripModel()
    let window = min(seconds, Self.secondsMax)
    let scale = window / Self.secondsMax
    var builder = ScenarioBuilder(scale: scale)
    for number in 1...max(1, orders) {
      let trip = trips.isEmpty ? Self.madeUp(number, model, &random) : trips[(number - 1) % trips.count]
      let drive = trip.suffix(seconds: min(Self.driveSecondsMax, trip.seconds) * scale)
      let quiet = Self.quietSeconds * scale
      builder.add(order: number, trip: drive, model: model, until: window - quiet, random: &random)
    }
    phones = builder.phones
    steps = builder.steps.sorted { $0.at < $1.at }
    self.orders = orders
    self.seconds = window
  }

  private static func madeUp(_ number: Int, _ model: TripModel, _ random: inout SeededRandom) -> Trip {
    let home = Coordinate(
      latitude: -10.94 + random.uniform(-0.03...0.03), longitude: -37.07 + random.uniform(-0.03...0.03))
    guard let home else { preconditionFailure("a place in Aracaju") }
    return model.trip(id: "\(number)", to: home, random: &random)
  }
}
