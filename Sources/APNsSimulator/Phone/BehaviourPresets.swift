extension Behaviour {
  /// Behaviours by name, for the control port and for mixes.
  public static let presets: [String: Behaviour] = [
    "default": Behaviour(),
    "pushStarted": with { $0.startsOwnCard = false },
    "activitiesOff": with { $0.activitiesEnabled = false },
    "notificationsOff": with { $0.notifications = "denied" },
    "allowsLate": with {
      $0.startsOwnCard = false
      $0.allowSeconds = 20
    },
    "neverAllows": with {
      $0.startsOwnCard = false
      $0.allowSeconds = -1
    },
    "swipes": with { $0.swipeSeconds = 600 },
    "swipesAndSays": with {
      $0.swipeSeconds = 600
      $0.swipeReported = true
    },
    "rotates": with { $0.rotateUpdateTokenSeconds = 300 },
    "batches": with { $0.batchSeconds = 60 },
    "repeatsUploads": with { $0.repeatUploadSeconds = 900 },
    "opensOften": with { $0.openEverySeconds = 240 },
    "reorders": with { $0.reorderProbability = 0.3 },
    "frequentPushes": with { $0.frequentPushes = true },
  ]

  private static func with(_ change: (inout Behaviour) -> Void) -> Behaviour {
    var behaviour = Behaviour()
    change(&behaviour)
    return behaviour
  }
}
