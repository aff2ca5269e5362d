/// The app's half of the promise that a card never goes back: of all states of one order, whichever way they came
/// (push, answer of the API, the app's own request), the one with the highest sequence is shown.
///
/// The stage itself does not decide: when an order is reopened, its stage begins anew under a higher sequence.
public struct NewestState: Hashable, Sendable {
  /// What to show; nil until the first state came.
  public private(set) var state: DeliveryAttributes.ContentState?

  public init() {}

  /// Takes the state if it is newer than the shown one, and says so. An equal sequence is the same state again.
  @discardableResult
  public mutating func offer(_ candidate: DeliveryAttributes.ContentState) -> Bool {
    if let shown = state, candidate.sequence <= shown.sequence { return false }
    state = candidate
    return true
  }
}
