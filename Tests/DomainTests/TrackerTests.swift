import Domain
import Testing

struct TrackerTests {
  let now = Instant(seconds: 10_000)

  @Test func stagesFollowTheHighestSequence() {
    var delivery = Delivery(id: OrderID("o"))
    let applied = [
      delivery.take(.stage(.placed), 1, now), delivery.take(.stage(.pickedUp), 5, now),
      delivery.take(.stage(.preparing), 3, now),
    ]
    #expect(
      applied == [
        Applied(verdict: .applied), Applied(verdict: .applied, flags: .gap), Applied(verdict: .applied),
      ])
    #expect(delivery.stage == .pickedUp)
    #expect(delivery.began(.preparing) != nil)
  }
}
