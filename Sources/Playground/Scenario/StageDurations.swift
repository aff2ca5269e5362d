import APNsSimulator

/// How long the stages before the drive take, in seconds: drawn from what real platforms' orders took.
///
/// P10, median and P90 of 14,875 motorbike orders in Nairobi (2019) and 3,693 courier orders in New York (2014). Laid
/// over trips they are synthetic: no public set has stages and positions of the same order.
struct StageDurations: Sendable {
  let placedToAccepted: Quantiles
  let acceptedToStore: Quantiles
  let storeToPickedUp: Quantiles

  static let nairobi = StageDurations(
    placedToAccepted: minutes(0.2, 1.2, 19.8), acceptedToStore: minutes(1.3, 10.4, 27.9),
    storeToPickedUp: minutes(2.4, 7.8, 25.1))

  /// The New York orders do not say when they were accepted: a tenth of the time to the store is taken for it.
  static let newYork = StageDurations(
    placedToAccepted: minutes(0.02, 1.0, 2.8), acceptedToStore: minutes(0.2, 8.9, 25.5),
    storeToPickedUp: minutes(7.8, 15.3, 32.3))

  private static func minutes(_ tenth: Double, _ median: Double, _ ninetieth: Double) -> Quantiles {
    Quantiles(at: [0.1, 0.5, 0.9], [tenth * 60, median * 60, ninetieth * 60])
  }
}

/// When an order's stages begin, in card seconds since the scenario's beginning.
struct Timeline: Sendable {
  var placed: Double
  var accepted: Double
  var preparing: Double
  var ready: Double
  var assigned: Double
  var atStore: Double
  var pickedUp: Double
  var delivering: Double
  var delivered: Double
  /// 1, or less where the scenario has less time than life takes.
  let scale: Double

  init(placed: Double, driveSeconds: Double, scale: Double, random: inout SeededRandom) {
    let durations = random.unit() < 0.7 ? StageDurations.nairobi : .newYork
    let toAccepted = durations.placedToAccepted.draw(&random) * scale
    let toStore = durations.acceptedToStore.draw(&random) * scale
    let toPickedUp = durations.storeToPickedUp.draw(&random) * scale
    self.placed = placed
    self.scale = scale
    accepted = placed + toAccepted
    preparing = accepted + min(30, toStore / 4)
    atStore = accepted + toStore
    pickedUp = atStore + toPickedUp
    ready = max(preparing, pickedUp - toPickedUp * random.uniform(0.1...0.9))
    assigned = accepted + toStore * random.uniform(0.05...0.4)
    delivering = pickedUp + min(20, driveSeconds / 10)
    delivered = delivering + driveSeconds + random.uniform(20...100) * scale
  }

  /// The same life at another time.
  func moved(by seconds: Double) -> Timeline {
    var moved = self
    for path: WritableKeyPath<Timeline, Double> in [
      \.placed, \.accepted, \.preparing, \.ready, \.assigned, \.atStore, \.pickedUp, \.delivering, \.delivered,
    ] { moved[keyPath: path] += seconds }
    return moved
  }
}
