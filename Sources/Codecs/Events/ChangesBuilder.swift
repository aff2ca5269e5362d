import Domain

/// Reads what an order event may carry beside its type: each part is nil when the event says nothing about it.
struct ChangesBuilder {
  let fields: FieldReader
  /// The event's time.
  let time: Instant

  func build() throws(Refusal) -> OrderChanges {
    var changes = OrderChanges()
    changes.user = try fields.identifier(.user).map { UserID($0) }
    changes.placedBy = try fields.identifier(.placedBy).map { InstallationID($0) }
    changes.app = try fields.identifier(.app)
    changes.kind = try fields.identifier(.kind)
    changes.store = try store()
    changes.destination = try fields.coordinate(.destinationLatitude, .destinationLongitude)
    changes.rider = try rider()
    changes.promisedAt = try fields.instant(.promisedAt)
    changes.schedule = try schedule()
    changes.estimatedReadyAt = try fields.instant(.estimatedReadyAt)
    changes.stopsBefore = try fields.integer(.stopsBefore, in: 0...EventLimits.stopsBeforeMax).map { Int($0) }
    changes.platformArrival = try fields.instant(.platformArrival)
    changes.deliveredAt = try fields.instant(.deliveredAt)
    changes.reason = try fields.text(.reason)
    changes.cancelledBy = try fields.text(.by)
    changes.attributes = try attributes()
    return changes
  }

  private func store() throws(Refusal) -> StoreInfo? {
    let store = StoreInfo(
      id: try fields.identifier(.storeID), name: try fields.text(.storeName),
      location: try fields.coordinate(.storeLatitude, .storeLongitude))
    return store == StoreInfo() ? nil : store
  }

  private func rider() throws(Refusal) -> RiderInfo? {
    let id = try fields.identifier(.riderID)
    let name = try fields.text(.riderName)
    let vehicle = try fields.text(.riderVehicle)
    let location = try fields.coordinate(.riderLatitude, .riderLongitude)
    guard id != nil || name != nil || vehicle != nil || location != nil else { return nil }
    return RiderInfo(id: RiderID(try fields.required(.riderID, id)), name: name, vehicle: vehicle, location: location)
  }

  private func schedule() throws(Refusal) -> ScheduleWindow? {
    let from = try fields.instant(.scheduledFrom)
    let to = try fields.instant(.scheduledTo)
    if from == nil, to == nil {
      if let point = try fields.instant(.scheduledFor) { return ScheduleWindow(from: point, to: point) }
      // An explicit null says "not later: now".
      let isNow = fields.isExplicitNull(.scheduledFor) || fields.isExplicitNull(.scheduledFrom, levelsUp: 1)
      return isNow ? ScheduleWindow(from: time, to: time) : nil
    }
    let begin = try fields.required(.scheduledFrom, from)
    let end = try fields.required(.scheduledTo, to)
    guard let window = ScheduleWindow(from: begin, to: end) else {
      throw fields.outOfRange(.scheduledTo, "a time that is not before the window's beginning")
    }
    return window
  }

  private func attributes() throws(Refusal) -> [String: String]? {
    guard case let given? = try fields.value(.attributes) else { return nil }
    guard case .json(let node) = given, node.kind == .object else {
      throw fields.wrongType(.attributes, expected: "an object of strings", found: given.kindName)
    }
    var attributes: [String: String] = [:]
    for (key, value) in node.members {
      guard let name = key.string, let text = value.string else {
        throw fields.wrongType(.attributes, expected: "an object of strings", found: value.kind.rawValue)
      }
      guard attributes.count < EventLimits.attributesMax, name.utf8.count <= EventLimits.attributeNameBytesMax,
        text.utf8.count <= EventLimits.attributeValueBytesMax
      else { throw fields.outOfRange(.attributes, Self.attributesLimit) }
      guard !name.utf8.contains(0), !text.utf8.contains(0) else {
        throw fields.outOfRange(.attributes, "texts without U+0000")
      }
      attributes[name] = text
    }
    return attributes
  }

  private static let attributesLimit =
    "at most \(EventLimits.attributesMax) members with names of up to \(EventLimits.attributeNameBytesMax) and values "
    + "of up to \(EventLimits.attributeValueBytesMax) bytes"
}
