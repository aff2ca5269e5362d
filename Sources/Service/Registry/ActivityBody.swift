import Codecs
import Domain

extension ActivityReport {
  /// Reads the body of `PUT /v1/orders/{orderId}/activities/{activityId}` (docs/api.md).
  public init(order: OrderID, activityID: String, body: [UInt8]) throws(BodyRefused) {
    self = try BodyReader.read(body) { body throws(BodyRefused) in
      let starter: CardView.Starter? = try body.word("startedBy")
      let state: State? = try body.word("state")
      var report = ActivityReport(
        order: order, activityID: activityID, revision: try body.revision(),
        installation: InstallationID(
          try body.required("installationId", body.identifier("installationId"), BodyReader.installationExpectation)),
        attributesType: try body.required("attributesType", body.text("attributesType"), "the activity's type"),
        startedBy: try body.required("startedBy", starter, "app or push"),
        startedAt: try body.required("startedAt", body.instant("startedAt"), "when the activity began"),
        state: try body.required("state", state, "ActivityKit's state of the activity"))
      report.updateToken = try body.token("updateToken")
      report.cause = try body.word("cause")
      report.displayedSequence = try body.integer("displayedSequence")
      return report
    }
  }
}

extension CardView.Starter: CaseIterable {
  public static let allCases: [CardView.Starter] = [.app, .push]
}

/// `POST /v1/orders/{orderId}/start-intents`, understood: the app is about to request an activity (rule 4.1).
public struct StartIntent: Equatable, Sendable {
  public var order: OrderID
  public var installation: InstallationID
  public var attributesType: String
  public var revision: Int64

  public init(order: OrderID, body: [UInt8]) throws(BodyRefused) {
    self = try BodyReader.read(body) { body throws(BodyRefused) in
      try StartIntent(order: order, body)
    }
  }

  private init(order: OrderID, _ body: BodyReader) throws(BodyRefused) {
    self.order = order
    revision = try body.revision()
    installation = InstallationID(
      try body.required("installationId", body.identifier("installationId"), BodyReader.installationExpectation))
    attributesType = try body.required("attributesType", body.text("attributesType"), "the activity's type")
  }
}
