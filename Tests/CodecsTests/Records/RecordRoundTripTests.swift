import Domain
import Testing

@testable import Codecs

struct RecordRoundTripTests {
  private static let seeds = (1...300).map(UInt64.init)

  @Test(arguments: seeds) func deliveriesComeBackEqual(seed: UInt64) throws {
    var samples = SampleDeliveries(seed: seed)
    let delivery = samples.delivery()
    let decoded = try DeliveryRecord.decode(DeliveryRecord.encode(delivery))
    #expect(decoded == delivery)
    #expect(DeliveryRecord.encode(decoded) == DeliveryRecord.encode(delivery))
    if let snapshot = delivery.snapshot {
      #expect(try SnapshotRecord.decode(SnapshotRecord.encode(snapshot)) == snapshot)
    }
  }

  @Test(arguments: seeds) func ridersComeBackEqual(seed: UInt64) throws {
    var samples = SampleDeliveries(seed: seed)
    let rider = samples.rider()
    #expect(try RiderRecord.decode(RiderRecord.encode(rider)) == rider)
  }

  @Test func anEmptyDelivery() throws {
    let delivery = Delivery(id: OrderID("o-1"))
    #expect(try DeliveryRecord.decode(DeliveryRecord.encode(delivery)) == delivery)
  }

  @Test func extremeTimes() throws {
    var rider = RiderState(id: RiderID("r"))
    rider.onlineAt = .distantPast
    #expect(try RiderRecord.decode(RiderRecord.encode(rider)) == rider)
    rider.onlineAt = .distantFuture
    #expect(try RiderRecord.decode(RiderRecord.encode(rider)) == rider)
  }

  @Test func unknownMembersAreIgnored() throws {
    let text = #"{"v":1,"id":"o-1","heardAt":5,"later":{"a":[1]},"stages":[],"marks":[],"spaces":[]}"#
    var expected = Delivery(id: OrderID("o-1"))
    expected.heardAt = Instant(microseconds: 5)
    #expect(try DeliveryRecord.decode(Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"v":2,"id":"o","heardAt":5}"#, #"{"v":1,"heardAt":5}"#,
    #"{"v":1,"id":"o","heardAt":5,"user":[0,"u"]}"#, #"{"v":1,"id":"o","heardAt":5,"user":["u"]}"#,
    #"{"v":1,"id":"o","heardAt":5,"marks":[[0,1,2,3]],"spaces":[]}"#,
    #"{"v":1,"id":"o","heardAt":5,"life":7}"#, #"{"v":1,"id":"o","heardAt":5,"stages":[0,"flown"]}"#,
  ])
  func damagedDeliveriesAreErrors(text: String) {
    #expect(throws: (any Error).self) { try DeliveryRecord.decode(Array(text.utf8)) }
  }

  @Test func truncatedRecordsAreErrors() {
    var samples = SampleDeliveries(seed: 7)
    let bytes = DeliveryRecord.encode(samples.delivery())
    for length in bytes.indices {
      #expect(throws: (any Error).self) { try DeliveryRecord.decode(Array(bytes[..<length])) }
    }
  }
}
