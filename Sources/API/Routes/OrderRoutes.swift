import Codecs
import Domain
import HTTPServer
import Service

/// What apps say about cards, and what they ask about orders.
struct OrderRoutes: Sendable {
  let services: APIServices
  let access: AccessRules

  private var registry: Registry { services.registry }

  var routes: [Route] {
    [
      Route("PUT", "/v1/orders/{orderId}/activities/{activityId}", .app) { try await report($0) },
      Route("POST", "/v1/orders/{orderId}/start-intents", .app) { try await announceStart($0) },
      Route("GET", "/v1/orders/{orderId}", .app) { try await snapshot($0) },
      Route("GET", "/v1/orders/{orderId}/stream", .app) { try await stream($0) },
    ]
  }

  private func report(_ call: Call) async throws -> HTTPResponse {
    let order = try orderID(call)
    let activity = try call.identifier(1, "activityId")
    let report = try ActivityReport(order: order, activityID: activity, body: call.body)
    try await access.authorize(report.installation, call)
    switch try await registry.report(report) {
    case .registered(let snapshot), .outdated(let snapshot): return answer(order, snapshot)
    case .unknownInstallation: throw Problem.unknownInstallation
    case .forbidden: throw Problem.forbidden("this order belongs to another user")
    case .tooMany:
      throw Problem(409, "tooManyActivities", "more cards or unknown orders than are kept for one phone")
    }
  }

  private func announceStart(_ call: Call) async throws -> HTTPResponse {
    let intent = try StartIntent(order: try orderID(call), body: call.body)
    try await access.authorize(intent.installation, call)
    let isClaimed = try await registry.announceStart(intent)
    return .json { writer in
      writer.beginObject()
      writer.member("pushStart", isClaimed ? "claimed" : "none")
      writer.endObject()
    }
  }

  private func snapshot(_ call: Call) async throws -> HTTPResponse {
    let order = try orderID(call)
    guard let known = try await registry.snapshot(of: order), let snapshot = known.snapshot,
      try await access.maySee(orderOf: known.user, call)
    else { throw Problem.unknownOrder }
    return .json { SnapshotDocument.write(snapshot, order: order, to: &$0) }
  }

  private func stream(_ call: Call) async throws -> HTTPResponse {
    let order = try orderID(call)
    guard let known = try await registry.snapshot(of: order), try await access.maySee(orderOf: known.user, call)
    else { throw Problem.unknownOrder }
    guard let stream = services.snapshots.watch(order) else {
      throw Problem(
        503, "tooManyStreams", "as many streams are open as are served; poll instead", retryAfterSeconds: 30)
    }
    return HTTPResponse(
      status: 200, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")], stream: stream)
  }

  private func orderID(_ call: Call) throws -> OrderID {
    OrderID(try call.identifier(0, "orderId"))
  }

  /// The order's snapshot; an order that is not known yet is said to be so.
  private func answer(_ order: OrderID, _ snapshot: Snapshot?) -> HTTPResponse {
    .json { writer in
      writer.beginObject()
      writer.key("snapshot")
      if let snapshot { SnapshotDocument.write(snapshot, order: order, to: &writer) } else { writer.null() }
      writer.endObject()
    }
  }
}

extension HTTPResponse {
  static func json(status: Int = 200, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
    var writer = JSONWriter()
    write(&writer)
    return HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: writer.bytes)
  }
}

extension Problem {
  static func badIdentifier(_ name: String) -> Problem {
    Problem(
      422, "badIdentifier",
      "\(name): expected 1 to \(RegistrationLimits.idBytesMax) bytes of text without control characters")
  }
}
