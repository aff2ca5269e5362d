import APNsSimulator
import Codecs
import Domain
import Service

/// What the HTTP API does with the phones' requests, without HTTP: the registry use case on the same bodies.
struct PhoneRegistry {
  let registry: Registry

  struct Answer {
    var status: Int
    var body = Array("{}".utf8)
  }

  func answer(_ call: RegistryCall) async throws -> Answer {
    let parts = call.path.split(separator: "/").map(String.init)
    do {
      switch (call.method, parts.count, parts.last ?? "") {
      case ("PUT", 3, _): return try await register(InstallationID(parts[2]), call.body)
      case ("PUT", 5, _): return try await report(OrderID(parts[2]), activity: parts[4], call.body)
      case ("POST", 4, "start-intents"): return try await intent(OrderID(parts[2]), call.body)
      // Looking into the app tells nothing that its reports have not said.
      case ("POST", 4, "reconcile"): return Answer(status: 200)
      default: return Answer(status: 404)
      }
    } catch is BodyRefused {
      return Answer(status: 422)
    }
  }

  private func register(_ installation: InstallationID, _ body: [UInt8]) async throws -> Answer {
    let outcome = try await registry.register(InstallationReport(id: installation, body: body))
    return Answer(status: outcome == .registered || outcome == .outdated ? 200 : 422)
  }

  private func report(_ order: OrderID, activity: String, _ body: [UInt8]) async throws -> Answer {
    switch try await registry.report(ActivityReport(order: order, activityID: activity, body: body)) {
    case .registered, .outdated: return Answer(status: 200)
    case .unknownInstallation: return Answer(status: 404)
    case .forbidden: return Answer(status: 403)
    case .tooMany: return Answer(status: 429)
    }
  }

  private func intent(_ order: OrderID, _ body: [UInt8]) async throws -> Answer {
    let isClaimed = try await registry.announceStart(StartIntent(order: order, body: body))
    return Answer(status: 200, body: Array(#"{"pushStart":"\#(isClaimed ? "claimed" : "none")"}"#.utf8))
  }
}
