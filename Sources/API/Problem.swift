import Codecs
import HTTPServer

/// An error answer (RFC 9457). What is thrown out of a route becomes one.
struct Problem: Error, Equatable {
  var status: Int
  /// Stable word for programs.
  var code: String
  /// What happened and what to do; nothing secret, nothing of other people.
  var detail: String
  /// RFC 6901, where in the body.
  var pointer: String?
  var retryAfterSeconds: Int?

  init(_ status: Int, _ code: String, _ detail: String, pointer: String? = nil, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.detail = detail
    self.pointer = pointer
    self.retryAfterSeconds = retryAfterSeconds
  }

  var response: HTTPResponse {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.member("type", "about:blank")
    writer.member("title", Self.titles[status] ?? "Error")
    writer.member("status", status)
    writer.member("code", code)
    writer.member("detail", detail)
    writer.member("pointer", pointer)
    writer.endObject()
    var headers = [(name: "Content-Type", value: "application/problem+json")]
    if status == 401 { headers.append((name: "WWW-Authenticate", value: "Bearer")) }
    if let retryAfterSeconds { headers.append((name: "Retry-After", value: "\(retryAfterSeconds)")) }
    return HTTPResponse(status: status, headers: headers, body: writer.bytes)
  }

  private static let titles = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 503: "Service Unavailable",
  ]
}

extension Problem {
  static let unauthenticated = Problem(
    401, "unauthenticated",
    "send Authorization: Bearer with a user's token, an installation credential or a service key")
  static let notFound = Problem(404, "notFound", "there is nothing at this path; see the API description")
  static let unknownOrder = Problem(404, "unknownOrder", "no order of this caller has this id")
  static let unknownInstallation = Problem(
    404, "unknownInstallation", "this installation is not registered: PUT /v1/installations/{installationId} first")

  static func forbidden(_ detail: String) -> Problem { Problem(403, "forbidden", detail) }
}
