/// The app's own memory: what it told its API and what it still has to tell.
struct AppState {
  static let uploadAttemptsMax = 50

  /// Grows by one with each registration; kept across launches.
  var revision: Int64 = 0
  var credential: String?
  var waiting: [Upload] = []
  var inFlight: Upload?
  /// What the API has acknowledged.
  var knownStartToken: String?
  var knownDeviceToken: String?
  var knownActivitiesEnabled = false
  var knownUser: String?
  var isRegistered = false

  mutating func nextRevision() -> Int64 {
    revision += 1
    return revision
  }
}
