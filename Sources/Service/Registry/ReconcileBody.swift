import Codecs
import Domain

/// `POST /v1/installations/{installationId}/reconcile`, understood: the activities that the app finds on the phone.
public struct ReconcileReport: Sendable {
  public struct Activity: Sendable {
    public var id: String
    public var order: OrderID
    public var attributesType: String
    public var state: ActivityReport.State
    public var updateToken: PushToken?
    public var displayedSequence: Int64?
  }

  public var installation: InstallationID
  public var revision: Int64
  public var activities: [Activity]

  public init(installation: InstallationID, body: [UInt8]) throws(BodyRefused) {
    self.installation = installation
    (revision, activities) = try BodyReader.read(body) { body throws(BodyRefused) in
      let revision = try body.revision()
      var activities: [Activity] = []
      for reader in try body.readers("activities", max: RegistrationLimits.activitiesMax) {
        activities.append(try Activity(reader))
      }
      return (revision, activities)
    }
  }
}

extension ReconcileReport.Activity {
  fileprivate init(_ body: BodyReader) throws(BodyRefused) {
    let state: ActivityReport.State? = try body.word("state")
    id = try body.required("activityId", body.identifier("activityId"), "the activity's id")
    order = OrderID(try body.required("orderId", body.identifier("orderId"), "the order's id"))
    attributesType = try body.required("attributesType", body.text("attributesType"), "the activity's type")
    self.state = try body.required("state", state, "ActivityKit's state of the activity")
    updateToken = try body.token("updateToken")
    displayedSequence = try body.integer("displayedSequence")
  }
}
