import Domain

/// Writes a delivery's registers and, last, the marks that they refer to.
struct DeliveryWriter {
  var json = JSONWriter(capacity: 1_024)
  private var marks: [Mark] = []

  mutating func index(of mark: Mark) -> Int {
    if let index = marks.firstIndex(of: mark) { return index }
    marks.append(mark)
    return marks.count - 1
  }

  mutating func write(_ fields: DeliveryFields) {
    write("user", fields.user) { $0.string($1.text) }
    write("placedBy", fields.placedBy) { $0.string($1.text) }
    write("app", fields.app) { $0.string($1) }
    write("kind", fields.kind) { $0.string($1) }
    write("storeID", fields.storeID) { $0.string($1) }
    write("storeName", fields.storeName) { $0.string($1) }
    write("storeLocation", fields.storeLocation) { $0.coordinate($1) }
    write("destination", fields.destination) { $0.coordinate($1) }
    write("rider", fields.rider) { json, rider in
      if let rider { json.string(rider.text) } else { json.null() }
    }
    write("riderDetails", fields.riderDetails) { $0.rider($1) }
    write("promisedAt", fields.promisedAt) { $0.int($1.microseconds) }
    write("schedule", fields.schedule) { $0.window($1) }
    write("estimatedReadyAt", fields.estimatedReadyAt) { $0.int($1.microseconds) }
    write("stopsBefore", fields.stopsBefore) { $0.int($1) }
    write("platformArrival", fields.platformArrival) { $0.int($1.microseconds) }
    write("deliveredAt", fields.deliveredAt) { $0.int($1.microseconds) }
    write("reason", fields.reason) { $0.string($1) }
    write("cancelledBy", fields.cancelledBy) { $0.string($1) }
    write("attributes", fields.attributes) { $0.texts($1) }
  }

  mutating func write(_ happenings: DeliveryHappenings) {
    json.key("stages")
    json.beginArray()
    for register in happenings.stages {
      for entry in register.entries {
        json.int(index(of: entry.mark))
        json.string(entry.value.name)
      }
    }
    json.endArray()
    write("reopened", happenings.reopened) { $0.string($1.name) }
    write("assigned", happenings.assigned) { $0.bool($1) }
    write("atStore", happenings.atStore) { $0.bool($1) }
    write("newest", happenings.newest) { $0.bool($1) }
  }

  private mutating func write<Value>(
    _ name: StaticString, _ register: Register<Value>, _ value: (inout JSONWriter, Value) -> Void
  ) {
    guard !register.isEmpty else { return }
    json.key(name)
    json.beginArray()
    for entry in register.entries {
      json.int(index(of: entry.mark))
      value(&json, entry.value)
    }
    json.endArray()
  }

  mutating func writeMarks() {
    var spaces: [SequenceSpace] = []
    json.key("marks")
    json.beginArray()
    for mark in marks {
      let space = spaces.firstIndex(of: mark.stamp.space) ?? spaces.endIndex
      if space == spaces.endIndex { spaces.append(mark.stamp.space) }
      json.beginArray()
      json.int(space)
      json.int(mark.stamp.sequence)
      json.int(mark.stamp.time.microseconds)
      json.int(Int64(bitPattern: mark.content))
      json.endArray()
    }
    json.endArray()
    json.key("spaces")
    json.beginArray()
    for space in spaces {
      json.beginArray()
      json.string(space.name)
      json.int(space.rank)
      json.endArray()
    }
    json.endArray()
  }
}

extension JSONWriter {
  fileprivate mutating func coordinate(_ place: Coordinate) {
    beginArray()
    double(place.latitude)
    double(place.longitude)
    endArray()
  }

  fileprivate mutating func window(_ window: ScheduleWindow) {
    beginArray()
    int(window.from.microseconds)
    int(window.to.microseconds)
    endArray()
  }

  fileprivate mutating func rider(_ rider: RiderInfo) {
    beginObject()
    member("id", rider.id.text)
    member("name", rider.name)
    member("vehicle", rider.vehicle)
    if let location = rider.location {
      key("location")
      coordinate(location)
    }
    endObject()
  }

  fileprivate mutating func texts(_ texts: [String: String]) {
    beginObject()
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      key(escaping: name)
      string(text)
    }
    endObject()
  }
}
