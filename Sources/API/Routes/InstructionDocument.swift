import Codecs
import Domain
import Service

/// The answer of a reconciliation.
enum InstructionDocument {
  static func write(_ instructions: [Reconciliation.Instruction], to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("orders")
    writer.beginArray()
    for instruction in instructions { write(instruction, to: &writer) }
    writer.endArray()
    writer.endObject()
  }

  private static func write(_ instruction: Reconciliation.Instruction, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("orderId", instruction.order.text)
    writer.member("activityId", instruction.activityID)
    writer.member("action", instruction.action.rawValue)
    if let snapshot = instruction.snapshot {
      writer.key("snapshot")
      SnapshotDocument.write(snapshot, order: instruction.order, to: &writer)
    }
    writer.member("staleDate", instruction.staleAt?.seconds)
    writer.member("relevanceScore", instruction.relevance)
    writer.member("timestamp", instruction.at.seconds)
    writer.endObject()
  }
}
