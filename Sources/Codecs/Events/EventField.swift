/// Everything that an event may say.
enum EventField: Int, CaseIterable, Sendable {
  case id, type, subject, time, sequence, traceparent
  case user, placedBy, app, kind
  case storeID, storeName, storeLatitude, storeLongitude
  case destinationLatitude, destinationLongitude
  case riderID, riderName, riderVehicle, riderLatitude, riderLongitude
  case promisedAt, scheduledFor, scheduledFrom, scheduledTo, estimatedReadyAt, platformArrival, deliveredAt
  case stopsBefore, reason, by, stage, attributes
  case latitude, longitude, accuracy, speed, heading

  /// The field's place in the built-in form: its name in mapping files and in refusals.
  var path: String {
    switch self {
    case .id: "id"
    case .type: "type"
    case .subject: "subject"
    case .time: "time"
    case .sequence: "sequence"
    case .traceparent: "traceparent"
    case .user: "data.userId"
    case .placedBy: "data.placedByInstallationId"
    case .app: "data.app"
    case .kind: "data.kind"
    case .storeID: "data.store.id"
    case .storeName: "data.store.name"
    case .storeLatitude: "data.store.location.latitude"
    case .storeLongitude: "data.store.location.longitude"
    case .destinationLatitude: "data.destination.location.latitude"
    case .destinationLongitude: "data.destination.location.longitude"
    case .riderID: "data.rider.id"
    case .riderName: "data.rider.name"
    case .riderVehicle: "data.rider.vehicle"
    case .riderLatitude: "data.rider.location.latitude"
    case .riderLongitude: "data.rider.location.longitude"
    case .promisedAt: "data.promisedAt"
    case .scheduledFor: "data.scheduledFor"
    case .scheduledFrom: "data.scheduledWindow.0"
    case .scheduledTo: "data.scheduledWindow.1"
    case .estimatedReadyAt: "data.estimatedReadyAt"
    case .platformArrival: "data.eta"
    case .deliveredAt: "data.deliveredAt"
    case .stopsBefore: "data.stopsBefore"
    case .reason: "data.reason"
    case .by: "data.by"
    case .stage: "data.stage"
    case .attributes: "data.attributes"
    case .latitude: "data.location.latitude"
    case .longitude: "data.location.longitude"
    case .accuracy: "data.accuracyMeters"
    case .speed: "data.speedMetersPerSecond"
    case .heading: "data.headingDegrees"
    }
  }
}

extension EventField {
  var isTime: Bool {
    switch self {
    case .time, .promisedAt, .scheduledFor, .scheduledFrom, .scheduledTo, .estimatedReadyAt, .platformArrival,
      .deliveredAt:
      true
    default: false
    }
  }

  /// Numbers that may come in several units.
  var isMeasure: Bool {
    switch self {
    case .storeLatitude, .storeLongitude, .destinationLatitude, .destinationLongitude, .riderLatitude,
      .riderLongitude, .latitude, .longitude, .accuracy, .speed, .heading:
      true
    default: false
    }
  }
}
