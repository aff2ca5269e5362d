#if canImport(ActivityKit)
  import ActivityKit
#endif

/// The card's fixed part in the built-in shape; its type name is the `attributes-type` of a push start.
public struct DeliveryAttributes: Codable, Hashable, Sendable {
  public var orderID: String
  public var storeName: String
  /// When the order began, Unix seconds: the same for every card of one life of an order, so that an app that finds two
  /// cards of one order can tell a duplicate.
  public var startedAtTimestamp: Int

  public init(orderID: String, storeName: String, startedAtTimestamp: Int) {
    self.orderID = orderID
    self.storeName = storeName
    self.startedAtTimestamp = startedAtTimestamp
  }
}

extension DeliveryAttributes {
  /// The card's changing part, version 1: complete in every push, never a difference.
  ///
  /// Times are whole Unix seconds and never `Date`, whose default encoding counts from 2001. Later versions only add
  /// optional fields, so that old apps go on decoding.
  public struct ContentState: Codable, Hashable, Sendable {
    /// Strictly increasing per order with every visible change.
    public var sequence: Int
    public var stage: DeliveryStage
    public var stageStartedTimestamp: Int
    /// When the server computed this state.
    public var snapshotTimestamp: Int
    public var riderPhase: RiderPhase
    /// Deliveries before this one.
    public var stopsBefore: Int?
    /// Best estimate; nil when unknown.
    public var estimatedArrivalTimestamp: Int?
    /// 10th and 90th percentile of the arrival.
    public var estimatedArrivalEarliestTimestamp: Int?
    public var estimatedArrivalLatestTimestamp: Int?
    /// Rider to destination along the expected way.
    public var remainingMeters: Int?
    /// 0...1, never falls within one life of an order.
    public var progress: Double
    public var riderName: String?
    /// Later than promised by more than 5 minutes.
    public var isDelayed: Bool

    public init(
      sequence: Int, stage: DeliveryStage, stageStartedTimestamp: Int, snapshotTimestamp: Int, riderPhase: RiderPhase,
      stopsBefore: Int? = nil, estimatedArrivalTimestamp: Int? = nil, estimatedArrivalEarliestTimestamp: Int? = nil,
      estimatedArrivalLatestTimestamp: Int? = nil, remainingMeters: Int? = nil, progress: Double,
      riderName: String? = nil, isDelayed: Bool
    ) {
      self.sequence = sequence
      self.stage = stage
      self.stageStartedTimestamp = stageStartedTimestamp
      self.snapshotTimestamp = snapshotTimestamp
      self.riderPhase = riderPhase
      self.stopsBefore = stopsBefore
      self.estimatedArrivalTimestamp = estimatedArrivalTimestamp
      self.estimatedArrivalEarliestTimestamp = estimatedArrivalEarliestTimestamp
      self.estimatedArrivalLatestTimestamp = estimatedArrivalLatestTimestamp
      self.remainingMeters = remainingMeters
      self.progress = progress
      self.riderName = riderName
      self.isDelayed = isDelayed
    }
  }

  /// In the order in which a customer may see them; the last four end the delivery.
  public enum DeliveryStage: String, Codable, Hashable, Sendable, CaseIterable {
    case placed, accepted, preparing, ready, pickedUp, delivering, arriving, returning
    case delivered, cancelled, failed, returned
  }

  /// What the rider does for this order, apart from the stage.
  public enum RiderPhase: String, Codable, Hashable, Sendable, CaseIterable {
    case none, assigned, atStore, carrying
  }
}

#if canImport(ActivityKit)
  extension DeliveryAttributes: ActivityAttributes {}
#endif
