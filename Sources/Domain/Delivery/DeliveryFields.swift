/// What the platform said of an order, field by field; each keeps the value of the highest sequence that set it.
public struct DeliveryFields: Equatable, Sendable {
  public var user = Register<UserID>()
  public var placedBy = Register<InstallationID>()
  public var app = Register<String>()
  public var kind = Register<String>()
  public var storeID = Register<String>()
  public var storeName = Register<String>()
  public var storeLocation = Register<Coordinate>()
  public var destination = Register<Coordinate>()
  /// Who brings it; nil says that nobody does any more.
  public var rider = Register<RiderID?>()
  /// Name and vehicle, valid while `rider` is the same one.
  public var riderDetails = Register<RiderInfo>()
  public var promisedAt = Register<Instant>()
  public var schedule = Register<ScheduleWindow>()
  public var estimatedReadyAt = Register<Instant>()
  public var stopsBefore = Register<Int>()
  public var platformArrival = Register<Instant>()
  public var deliveredAt = Register<Instant>()
  public var reason = Register<String>()
  public var cancelledBy = Register<String>()
  public var attributes = Register<[String: String]>()

  public init() {}
}

/// What happened to an order: the newest event of each kind, in each sequence space.
public struct DeliveryHappenings: Equatable, Sendable {
  /// One register per stage that was ever said, in the order of the stages; its value is the stage.
  public var stages: [Register<Stage>] = []
  /// The stage that a reopening said the order is in again.
  public var reopened = Register<Stage>()
  /// Explicit changes of rider: true when assigned, false when unassigned.
  public var assigned = Register<Bool>()
  public var atStore = Register<Bool>()
  /// The newest event of any kind, for gaps and repetitions.
  public var newest = Register<Bool>()

  public init() {}

  mutating func note(_ stage: Stage, at mark: Mark) -> Offer {
    let index = stages.firstIndex { ($0.value ?? .placed) >= stage } ?? stages.endIndex
    if index == stages.endIndex || stages[index].value != stage { stages.insert(Register(), at: index) }
    return stages[index].offer(stage, at: mark)
  }
}
