import APNsSimulator
import Domain

/// The positions that an order's rider reports: to the store by a made-up ride, then along the order's trip.
struct RiderPositions {
  let plan: OrderPlan
  let model: TripModel

  /// Seconds between two fixes of a rider who stands still.
  private static let standingGap = 20.0

  func events(random: inout SeededRandom) -> [PlannedEvent] {
    let timeline = plan.timeline
    let rider = plan.lastRider
    var fixes: [PlannedEvent] = []
    let approachSeconds = timeline.atStore - timeline.assigned
    let approach = model.trip(id: rider, to: plan.trip.start, random: &random).suffix(seconds: approachSeconds)
    fixes += ride(approach, rider: rider, from: timeline.atStore - approach.seconds)
    fixes += stand(rider: rider, at: plan.trip.start, from: timeline.atStore, to: timeline.delivering, random: &random)
    fixes += ride(plan.trip, rider: rider, from: timeline.delivering)
    let arrival = timeline.delivering + plan.trip.seconds
    fixes += stand(rider: rider, at: plan.trip.end, from: arrival, to: timeline.delivered, random: &random)
    return fixes
  }

  private func ride(_ trip: Trip, rider: String, from start: Double) -> [PlannedEvent] {
    trip.points.map { fix(rider: rider, $0.coordinate, at: start + $0.seconds) }
  }

  private func stand(
    rider: String, at place: Coordinate, from start: Double, to end: Double, random: inout SeededRandom
  ) -> [PlannedEvent] {
    stride(from: start + Self.standingGap, to: end, by: Self.standingGap).map { second in
      fix(rider: rider, place.moved(east: 3 * random.normal(), north: 3 * random.normal()), at: second)
    }
  }

  private func fix(rider: String, _ place: Coordinate, at seconds: Double) -> PlannedEvent {
    PlannedEvent(
      happensAt: seconds, publishedAt: seconds, type: "rider.location", subject: rider,
      details: .init(location: place))
  }
}
