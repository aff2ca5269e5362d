import Domain

/// The built-in attributes and ContentState, version 1 (docs/interface.md 4.1).
public enum BuiltInShape {
  public static let attributesType = "DeliveryAttributes"
  static let notificationCategory = "doorstep.delivery"

  static func writeAttributes(of snapshot: Snapshot, order: OrderID, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("orderID", order.text)
    writer.member("storeName", snapshot.storeName ?? "")
    writer.member("startedAtTimestamp", snapshot.placed.seconds)
    writer.endObject()
  }

  static func writeState(of snapshot: Snapshot, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sequence", snapshot.sequence)
    writer.member("stage", snapshot.stage.name)
    writer.member("stageStartedTimestamp", snapshot.stageStarted.seconds)
    writer.member("snapshotTimestamp", snapshot.computed.seconds)
    writer.member("riderPhase", snapshot.riderPhase.name)
    writer.member("stopsBefore", snapshot.stopsBefore)
    writer.member("estimatedArrivalTimestamp", snapshot.arrival?.seconds)
    writer.member("estimatedArrivalEarliestTimestamp", snapshot.earliest?.seconds)
    writer.member("estimatedArrivalLatestTimestamp", snapshot.latest?.seconds)
    writer.member("remainingMeters", snapshot.remainingMeters)
    writer.member("progress", snapshot.progress.isFinite ? min(max(snapshot.progress, 0), 1) : 0)
    writer.member("riderName", snapshot.riderName)
    writer.member("isDelayed", snapshot.isDelayed)
    writer.endObject()
  }
}
