/// The names of the dispatch policy's rules: the closed set behind `Verdict.rule` and `PushPlan.rule`.
public enum Rule: String, Sendable, CaseIterable {
  // Content.
  case stageChanged, contentChanged, firstContent, heartbeat, repair
  // Ends.
  case orderFinished, finalStateChanged, endRepeated, lost, withdrawn, secondCard, cardExpiring
  // Starts.
  case noCard, renewal
  // Alerts.
  case milestone, activitiesDisabled, suppressed, noStartToken, systemTooOld, cardLimit, startBudget, unconfirmed
  case otherPhone, cardGone
  // Waits.
  case holdOff, startIntent, scheduled, beforeStartStage, updateInterval, awaitingToken, awaitingUpdateToken
  case endRepeatDue
  // Nothing to do.
  case upToDate, refusedByAPNs, noSnapshot, cardEnded, alreadyRung, noMilestone, oldCause, finishedWithoutCard
  // Nobody can be told.
  case notificationsDenied, noDeviceToken

  func verdict(_ kind: Verdict.Kind) -> Verdict { Verdict(kind, rule: rawValue) }
}
