import Codecs

/// A phone of the simulator, as its control port takes it.
struct PhonePlan: Sendable {
  var installation: String
  var user: String
  var os = "18.2"
  /// A name of one of the simulator's behaviours.
  var behaviour = "default"

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("installation", installation)
    writer.member("user", user)
    writer.member("os", os)
    writer.member("behaviour", behaviour)
    writer.endObject()
  }
}

/// What a user or a network does to a phone at some moment.
struct PhoneAction: Sendable {
  var installation: String
  var action: String
  var order: String?
  var user: String?
  var onto: String?

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("installation", installation)
    writer.member("action", action)
    writer.member("order", order)
    writer.member("user", user)
    writer.member("onto", onto)
    writer.endObject()
  }
}

/// A checkout: the placing phone may start its own card.
struct Checkout: Sendable {
  var order: String
  var user: String
  var store: String
  var placedBy: String?

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("order", order)
    writer.member("user", user)
    writer.member("store", store)
    writer.member("placedBy", placedBy)
    writer.endObject()
  }
}
