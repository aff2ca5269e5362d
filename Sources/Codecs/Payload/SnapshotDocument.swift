import Domain

/// An order's snapshot as the app's API gives it: in the same shape as in a push.
public enum SnapshotDocument {
  /// Writes `{"orderId":...,"attributesType":...,"attributes":{...},"contentState":{...}}`.
  public static func write(_ snapshot: Snapshot, order: OrderID, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("orderId", order.text)
    writer.member("attributesType", BuiltInShape.attributesType)
    writer.key("attributes")
    BuiltInShape.writeAttributes(of: snapshot, order: order, to: &writer)
    writer.key("contentState")
    BuiltInShape.writeState(of: snapshot, to: &writer)
    writer.endObject()
  }
}
