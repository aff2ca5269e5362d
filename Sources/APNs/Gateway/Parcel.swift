import Service

/// A push on its way through a pool, and who waits for its answer.
struct Parcel {
  let push: Push
  let sink: any PushAnswerSink
  let id: PushID
  /// Monotonic seconds.
  let handedAt: Double
  let deadline: Double
  let lane: Lane
  var connection = 0
  /// Which provider token it went out with.
  var tokenSerial = 0
  var repeats = 0
  /// Its answer decides whether the pool's, or the lane's, circuit stays open.
  var isProbe = false
  var isLaneProbe = false
}

/// One app of a pool.
final class Lane {
  let lane: PushLane
  var requests: PushRequests
  var watch: LaneGuard

  init(_ lane: PushLane, seed: UInt64) {
    self.lane = lane
    requests = PushRequests(bundleID: lane.bundleID)
    watch = LaneGuard(seed: seed)
  }
}

/// Parcels by number; numbers are used again.
struct ParcelTable {
  private var parcels: [Parcel?] = []
  private var unused: [Int] = []

  var count: Int { parcels.count - unused.count }

  mutating func add(_ parcel: Parcel) -> Int {
    if let number = unused.popLast() {
      parcels[number] = parcel
      return number
    }
    parcels.append(parcel)
    return parcels.count - 1
  }

  mutating func remove(_ number: Int) -> Parcel? {
    guard parcels.indices.contains(number), let parcel = parcels[number] else { return nil }
    parcels[number] = nil
    unused.append(number)
    return parcel
  }

  mutating func update(_ number: Int, _ body: (inout Parcel) -> Void) {
    guard parcels.indices.contains(number) else { return }
    if var parcel = parcels[number] {
      parcels[number] = nil
      body(&parcel)
      parcels[number] = parcel
    }
  }

  subscript(number: Int) -> Parcel? { parcels.indices.contains(number) ? parcels[number] : nil }
}
