import DoorstepActivity
import Testing

struct NewestStateTests {
  private func state(_ sequence: Int, _ stage: DeliveryAttributes.DeliveryStage) -> DeliveryAttributes.ContentState {
    DeliveryAttributes.ContentState(
      sequence: sequence, stage: stage, stageStartedTimestamp: 1, snapshotTimestamp: 2, riderPhase: .none,
      progress: 0.5, isDelayed: false)
  }

  @Test func takesWhatIsNewer() {
    var newest = NewestState()
    #expect(newest.state == nil)
    let taken = [newest.offer(state(5, .placed)), newest.offer(state(6, .accepted))]
    #expect(taken == [true, true])
    #expect(newest.state?.stage == .accepted)
  }

  @Test func neverGoesLower() {
    var newest = NewestState()
    newest.offer(state(6, .delivering))
    let taken = [newest.offer(state(5, .preparing)), newest.offer(state(6, .arriving))]
    #expect(taken == [false, false])
    #expect(newest.state?.stage == .delivering)
  }

  @Test func aReopenedOrderBeginsAnew() {
    var newest = NewestState()
    newest.offer(state(9, .cancelled))
    let isTaken = newest.offer(state(10, .preparing))
    #expect(isTaken)
    #expect(newest.state?.stage == .preparing)
  }
}
