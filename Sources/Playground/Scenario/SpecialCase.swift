/// What happens to an order, its customer or the customer's phone besides an ordinary delivery.
///
/// A scenario has each of them once, in this order, as far as it has orders.
enum SpecialCase: CaseIterable, Sendable {
  // The order.
  case cancelled, reassigned, failed, returned, reopened, correctedEnd, pickup, pooled, silentSteps
  // The customer's phones.
  case twoPhones, noPushToStart, activitiesOff, notificationsOff, neverAllows, oldBuild
  // What happens to a phone on the way.
  case deadToken, rotation, swipe, swipeReported, offline, forceQuit, reboot, twoUsers, restoredBackup, reinstall
  case opensApp, repeatsUploads, batches, reorders, lowPower
}
