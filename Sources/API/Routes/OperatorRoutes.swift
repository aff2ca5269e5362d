import Codecs
import Crypto
import Domain
import HTTPServer
import Observability
import Service

/// What operators see and do. Every change leaves a line in the audit log, in the rows and in the log.
struct OperatorRoutes: Sendable {
  let services: APIServices
  let logger: Logger

  var routes: [Route] {
    [
      Route("GET", "/v1/orders/{orderId}/explanation", .operator) { try await explanation($0) },
      Route("POST", "/v1/orders/{orderId}/resend", .operator) { try await resend($0) },
      Route("POST", "/v1/orders/{orderId}/end", .operator) { try await end($0) },
      Route("GET", "/v1/users/{userId}/installations", .operator) { try await installations($0) },
      Route("DELETE", "/v1/users/{userId}", .operator) { try await erase($0) },
      Route("GET", "/v1/mode", .operator) { _ in mode() },
      Route("PUT", "/v1/mode", .operator) { try await setMode($0) },
    ]
  }

  private func explanation(_ call: Call) async throws -> HTTPResponse {
    let order = OrderID(try call.identifier(0, "orderId"))
    guard let explanation = try await services.explainer.explain(order) else { throw Problem.unknownOrder }
    return HTTPResponse(
      status: 200, headers: [("Content-Type", "application/json")], body: explanation.json())
  }

  private func resend(_ call: Call) async throws -> HTTPResponse {
    let order = OrderID(try call.identifier(0, "orderId"))
    guard let phones = try await services.administration.resend(order, actor: call.actor) else {
      throw Problem.unknownOrder
    }
    logger.log(.operatorAction, .actor(call.actor), .code("order.resend"), .order(order.text), .count(phones))
    return .phones(phones)
  }

  private func end(_ call: Call) async throws -> HTTPResponse {
    let order = OrderID(try call.identifier(0, "orderId"))
    guard let phones = try await services.administration.end(order, actor: call.actor) else {
      throw Problem.unknownOrder
    }
    logger.log(.operatorAction, .actor(call.actor), .code("order.end"), .order(order.text), .count(phones))
    return .phones(phones)
  }

  private func installations(_ call: Call) async throws -> HTTPResponse {
    let user = UserID(try call.identifier(0, "userId"))
    let found = try await services.administration.installations(of: user)
    return .json { writer in
      writer.beginObject()
      writer.key("installations")
      writer.beginArray()
      for summary in found { SummaryDocument.write(summary, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private func erase(_ call: Call) async throws -> HTTPResponse {
    let user = UserID(try call.identifier(0, "userId"))
    // The log must not bring back what is erased: it keeps the beginning of a hash, enough to find a known id again.
    let subject = "user:" + Base64URL.encode(sha256(Array(user.text.utf8)).prefix(12))
    try await services.administration.erase(user, subject: subject, actor: call.actor)
    logger.log(.operatorAction, .actor(call.actor), .code("user.erase"))
    return HTTPResponse(status: 204)
  }

  private func mode() -> HTTPResponse { .json { RolloutDocument.write(services.rollout.current, to: &$0) } }

  private func setMode(_ call: Call) async throws -> HTTPResponse {
    let rollout = try RolloutDocument.read(call.body, onTopOf: services.rollout.current)
    let summary = rollout.mode.description
    try await services.administration.setRollout(rollout, summary: summary, actor: call.actor)
    services.rollout.set(rollout)
    logger.log(.operatorAction, .actor(call.actor), .code("mode.set"), .detail(summary))
    return mode()
  }
}

extension Call {
  /// Id of the service key; operator routes admit nobody else.
  var actor: String {
    if case .service(let id, _) = caller { return id }
    return ""
  }

  func identifier(_ index: Int, _ name: String) throws -> String {
    guard RegistrationLimits.isIdentifier(parameters[index]) else { throw Problem.badIdentifier(name) }
    return parameters[index]
  }
}

extension HTTPResponse {
  fileprivate static func phones(_ count: Int) -> HTTPResponse {
    .json(status: 202) { writer in
      writer.beginObject()
      writer.member("phones", count)
      writer.endObject()
    }
  }
}
