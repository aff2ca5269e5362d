import Codecs
import Domain
import HTTPServer
import Observability
import Service

/// What apps say about themselves.
struct InstallationRoutes: Sendable {
  let services: APIServices
  let access: AccessRules
  let metrics: Metrics

  private var registry: Registry { services.registry }

  var routes: [Route] {
    [
      Route("PUT", "/v1/installations/{installationId}", .app) { try await register($0) },
      Route("DELETE", "/v1/installations/{installationId}", .app) { try await logOut($0) },
      Route("POST", "/v1/installations/{installationId}/reconcile", .app) { try await reconcile($0) },
      Route("POST", "/v1/installations/{installationId}/reports", .app) { try await takeReports($0) },
    ]
  }

  private func register(_ call: Call) async throws -> HTTPResponse {
    let id = InstallationID(try call.identifier(0, "installationId"))
    var report = try InstallationReport(id: id, body: call.body)
    let owner = try await registry.owner(of: id)
    try access.authorize(&report, of: owner, call)
    let isNew = owner?.credentialHash == nil
    let credential = isNew || renewsCredential(call.body) ? try InstallationCredential(for: id) : nil
    switch try await registry.register(report, credentialHash: credential?.hash) {
    case .registered: return Self.answer(credential)
    case .outdated: return Self.answer(nil)
    case .incomplete(let member):
      throw Problem(422, "incomplete", "a first registration needs \(member)", pointer: "/\(member)")
    case .tooMany:
      throw Problem(409, "tooManyInstallations", "this user has as many installations as are kept: remove one first")
    }
  }

  /// Doing it twice is no error: the second time there is nothing left to do.
  private func logOut(_ call: Call) async throws -> HTTPResponse {
    let id = InstallationID(try call.identifier(0, "installationId"))
    guard try await registry.owner(of: id) != nil else { return HTTPResponse(status: 204) }
    try await access.authorize(id, call)
    _ = try await services.administration.logOut(id)
    return HTTPResponse(status: 204)
  }

  private func reconcile(_ call: Call) async throws -> HTTPResponse {
    let id = InstallationID(try call.identifier(0, "installationId"))
    let report = try ReconcileReport(installation: id, body: call.body)
    try await access.authorize(id, call)
    guard let instructions = try await services.reconciliation.reconcile(report) else {
      throw Problem.unknownInstallation
    }
    return .json { InstructionDocument.write(instructions, to: &$0) }
  }

  private func takeReports(_ call: Call) async throws -> HTTPResponse {
    let id = InstallationID(try call.identifier(0, "installationId"))
    let telemetry = try Telemetry(body: call.body)
    try await access.authorize(id, call)
    for entry in telemetry.entries { metrics.appReports.increment(entry.kind.rawValue) }
    return HTTPResponse(status: 202)
  }

  private func renewsCredential(_ body: [UInt8]) -> Bool {
    (try? JSON.parse(body) { $0["renewCredential"]?.bool }) == true
  }

  private static func answer(_ credential: InstallationCredential?) -> HTTPResponse {
    .json { writer in
      writer.beginObject()
      writer.member("installationCredential", credential?.text)
      writer.endObject()
    }
  }
}
