import Domain
import Testing

struct PositionFilterTests {
  private let start = Instant(seconds: 1_000_000)

  /// Feeds fixes as they are measured and answers what became of each.
  private func observe(_ fixes: [Fix], by rider: inout RiderState) -> [FixVerdict] {
    fixes.map { rider.observe($0, now: $0.time.advanced(by: 1)) }
  }

  private func at(_ seconds: Double) -> Instant { start.advanced(by: seconds) }

  @Test func oneOutlierIsIgnored() {
    var rider = RiderState(id: RiderID("r"))
    let verdicts = observe(
      [fix(at(0)), fix(at(5), north: 4_000_000), fix(at(10), north: 60)], by: &rider)
    #expect(verdicts == [.accepted, .refused(.jump), .accepted])
    #expect(rider.lastFix?.coordinate == place(north: 60))
    #expect(rider.suspect == nil)
  }

  @Test func afterAGapAReachablePlaceIsTakenAtOnce() {
    var rider = RiderState(id: RiderID("r"))
    let verdicts = observe([fix(at(0)), fix(at(720), north: 9_000)], by: &rider)
    #expect(verdicts == [.accepted, .accepted])
  }

  @Test func aPlaceThatThreeFixesAgreeOnIsTaken() {
    var rider = RiderState(id: RiderID("r"))
    let verdicts = observe(
      [fix(at(0))] + (1...3).map { fix(at(Double($0) * 5), north: 400_000 + Double($0) * 40) }, by: &rider)
    #expect(verdicts == [.accepted, .refused(.jump), .refused(.jump), .accepted])
    #expect(rider.lastFix?.coordinate == place(north: 400_120))
  }

  /// The first fix itself was the outlier: the true place still wins.
  @Test func aFalseFirstFixDoesNotLockOutTheTruth() {
    var rider = RiderState(id: RiderID("r"))
    let verdicts = observe(
      [fix(at(0), north: 2_000_000)] + (1...3).map { fix(at(Double($0) * 5), north: Double($0)) }, by: &rider)
    #expect(verdicts.last == .accepted)
  }

  @Test func outliersThatDisagreeNeverWin() {
    var rider = RiderState(id: RiderID("r"))
    let places = [0, 400_000, 900_000, 1_500_000, 400_000, 900_000].map(Double.init)
    let verdicts = observe(places.enumerated().map { fix(at(Double($0) * 5), north: $1) }, by: &rider)
    #expect(verdicts == [.accepted] + Array(repeating: .refused(.jump), count: 5))
  }

  @Test func nonsenseIsRefusedByName() throws {
    var rider = RiderState(id: RiderID("r"))
    let zero = try #require(Coordinate(latitude: 0, longitude: 0))
    let swapped = try #require(
      Coordinate(latitude: place().longitude - 90, longitude: place().latitude))
    #expect(swapped.latitude < 90)
    let verdicts = [
      rider.observe(fix(start), now: start),
      rider.observe(Fix(coordinate: zero, time: at(1)), now: at(1)),
      rider.observe(fix(at(66)), now: at(60)),
      rider.observe(fix(at(64), north: 10), now: at(60)),
      rider.observe(fix(at(64), north: 10), now: at(65)),
      rider.observe(fix(at(-10)), now: at(65)),
      rider.observe(fix(at(70), accuracy: 201), now: at(70)),
      rider.observe(fix(at(71), accuracy: -1), now: at(71)),
      rider.observe(fix(at(72), accuracy: 200), now: at(72)),
    ]
    #expect(
      verdicts == [
        .accepted, .refused(.zero), .refused(.future), .accepted, .refused(.stale), .refused(.stale),
        .refused(.inaccurate), .refused(.inaccurate), .accepted,
      ])
  }

  @Test func swappedCoordinatesAreSeenBesideTheLastPlace() throws {
    var rider = RiderState(id: RiderID("r"))
    let here = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
    let swapped = try #require(Coordinate(latitude: 11.5, longitude: 48.1))
    let verdicts = [
      rider.observe(Fix(coordinate: here, time: at(0)), now: at(0)),
      rider.observe(Fix(coordinate: swapped, time: at(5)), now: at(5)),
      rider.observe(Fix(coordinate: swapped, time: at(10)), now: at(10)),
      rider.observe(Fix(coordinate: swapped, time: at(15)), now: at(15)),
    ]
    #expect(verdicts == [.accepted] + Array(repeating: .refused(.swapped), count: 3))
  }

  @Test func anOldFixIsStaleAtTheLimit() {
    var rider = RiderState(id: RiderID("r"))
    let verdicts = [rider.observe(fix(at(0)), now: at(901)), rider.observe(fix(at(0)), now: at(900))]
    #expect(verdicts == [.refused(.stale), .accepted])
  }

  /// A tunnel's burst, newest first: only the newest counts, and the burst's order does not matter.
  @Test func aBurstLeavesOnlyItsNewestFix() {
    let fixes = (0..<200).map { fix(at(Double($0) * 6), north: Double($0) * 50) }
    var rider = RiderState(id: RiderID("r"))
    let verdicts = fixes.reversed().map { rider.observe($0, now: at(1_200)) }
    #expect(verdicts.count { $0 == .accepted } == 1)
    #expect(rider.lastFix == fixes.last)
  }

  @Test func anOlderWordOnPresenceChangesNothing() {
    var rider = RiderState(id: RiderID("r"))
    rider.set(online: false, at: at(10))
    rider.set(online: true, at: at(5))
    #expect(!rider.isOnline)
    rider.set(online: true, at: at(11))
    #expect(rider.isOnline)
  }
}
