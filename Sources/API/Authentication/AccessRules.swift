import Domain
import Service

/// Who may touch what. Whoever holds the installation's credential decides about the installation; a user only about
/// what is theirs; the company's backend (scope `app`) speaks for all its users.
struct AccessRules: Sendable {
  /// A second proof beside the user's token: the phone that another user was logged in on is really at hand.
  static let credentialHeader = "doorstep-installation-credential"

  let registry: Registry
  let authenticator: Authenticator

  /// Checks a registration and, for a user's own token, binds the installation to that user.
  func authorize(_ report: inout InstallationReport, of owner: InstallationOwner?, _ call: Call) throws {
    switch call.caller {
    case .service: return
    case .installation(let id):
      guard id == report.id else { throw Problem.forbidden("this credential is another installation's") }
      guard case .set(let user) = report.user, user != owner?.user else { return }
      throw Problem.forbidden("an installation credential cannot bind to another user: send that user's token")
    case .user(let user):
      if case .set(let named) = report.user, named != user {
        throw Problem.forbidden("userId is not the user of this token")
      }
      if let held = owner?.user, held != user { try requireCredential(of: report.id, owner, call) }
      if report.user == .keep { report.user = .set(user) }
    }
  }

  /// Another user was logged in: taking the installation over needs the credential that only the phone holds.
  private func requireCredential(of id: InstallationID, _ owner: InstallationOwner?, _ call: Call) throws {
    guard let text = call.request.header(Self.credentialHeader), let credential = InstallationCredential(text),
      credential.installation == id, authenticator.holds(credential, owner)
    else {
      throw Problem.forbidden(
        "this installation belongs to another user: log out first, or send its credential in \(Self.credentialHeader)")
    }
  }

  /// Checks that the caller may speak for an installation that must be registered.
  func authorize(_ installation: InstallationID, _ call: Call) async throws {
    switch call.caller {
    case .service: return
    case .installation(let id):
      guard id == installation else { throw Problem.forbidden("this credential is another installation's") }
    case .user(let user):
      guard let owner = try await registry.owner(of: installation) else { throw Problem.unknownInstallation }
      guard owner.user == user else { throw Problem.forbidden("this installation is not bound to the token's user") }
    }
  }

  /// Whether the caller may see an order of that user.
  func maySee(orderOf owner: UserID?, _ call: Call) async throws -> Bool {
    switch call.caller {
    case .service: return true
    case .user(let user): return owner == user
    case .installation(let id):
      guard let owner else { return false }
      return try await registry.owner(of: id)?.user == owner
    }
  }
}
