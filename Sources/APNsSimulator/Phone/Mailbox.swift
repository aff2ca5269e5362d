/// Apple's storage for one app on one phone: one place (docs/apns.md 1.7). A push that cannot be delivered now waits
/// here; the next one usually replaces it, whatever card or order it is for.
struct Mailbox {
  /// Newest last; more than one only when a replacement did not happen.
  private(set) var held: [IncomingPush] = []
  /// A burst for priority 5 is due.
  var burstPlanned = false

  /// Returns what was thrown away.
  mutating func hold(_ push: IncomingPush, replaces: Bool) -> [IncomingPush] {
    let lost = held.filter { replaces || ($0.collapseID != nil && $0.collapseID == push.collapseID) }
    held.removeAll { old in lost.contains { $0.id == old.id } }
    held.append(push)
    return lost
  }

  /// Everything that waits, oldest first; the mailbox is empty after it.
  mutating func takeAll() -> [IncomingPush] {
    defer { held.removeAll() }
    return held
  }
}
