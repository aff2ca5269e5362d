import Codecs
import Domain
import HTTPServer
import Service

/// What apps say about themselves.
struct InstallationRoutes: Sendable {
  let registry: Registry
  let access: AccessRules

  var routes: [Route] {
    [Route("PUT", "/v1/installations/{installationId}", .app) { try await register($0) }]
  }

  private func register(_ call: Call) async throws -> HTTPResponse {
    let id = InstallationID(call.parameters[0])
    guard RegistrationLimits.isIdentifier(id.text) else { throw Problem.badIdentifier("installationId") }
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
