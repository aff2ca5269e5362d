import Domain
import Simulation
import Testing

@testable import Service

/// The line from record to push, over in-memory ports and a clock by hand.
struct LineTests {
  private static let placed = #"{"userId":"u-1","store":{"name":"North"},"promisedAt":"2027-01-15T08:40:00Z"}"#

  private func started() async throws -> LineWorld {
    let world = LineWorld()
    try await world.restartDispatcher()
    try await world.register("p-1")
    try await world.publish("placed", sequence: 1, data: Self.placed)
    try await world.settleDown()
    return world
  }

  @Test func aPlacedOrderStartsACardAfterTheHold() async throws {
    let world = try await started()
    #expect(world.events == [])
    world.clock.advance(by: 6)
    try await world.settleDown()
    #expect(world.events == ["start"])
    #expect(world.bodies.first?.contains("\"orderID\":\"o-1\"") == true)
  }

  @Test func oneStartHoweverManyEventsComeBeforeTheToken() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown()
    for (index, stage) in ["accepted", "preparing", "ready"].enumerated() {
      world.clock.advance(by: 5)
      try await world.publish(stage, sequence: index + 2)
      try await world.settleDown()
    }
    #expect(world.events == ["start"])
    try await world.registerCard("p-1")
    try await world.settleDown()
    #expect(world.events == ["start", "update"])
    #expect(world.bodies.last?.contains("\"stage\":\"ready\"") == true)
  }

  @Test func aDeliveredOrderEndsItsCard() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown()
    try await world.registerCard("p-1")
    world.clock.advance(by: 60)
    try await world.publish("delivered", sequence: 9)
    try await world.settleDown()
    #expect(world.events.last == "end")
    // A late event of a lower sequence changes nothing.
    try await world.publish("picked_up", sequence: 5)
    try await world.settleDown()
    #expect(world.events.filter { $0 == "end" }.count == 1)
  }

  @Test func aStartInDoubtIsNeverRepeated() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown { _ in .unknown }
    for step in 2...6 {
      world.clock.advance(by: 30)
      try await world.publish("updated", sequence: step, data: #"{"stopsBefore":\#(step)}"#)
      try await world.settleDown()
    }
    #expect(world.events.filter { $0 == "start" }.count == 1)
  }

  @Test func aStartThatWasNotProcessedIsRepeated() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown { _ in .retry(afterSeconds: 2) }
    world.clock.advance(by: 3)
    try await world.settleDown()
    #expect(world.events == ["start", "start"])
    let timestamps = Set(world.bodies.map { $0.contains("\"timestamp\":") })
    #expect(timestamps == [true])
  }

  @Test func aKilledDispatcherTellsTheNewestStateAndStartsNothingTwice() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.dispatcher.turn()
    #expect(world.gateway.waiting.count == 1)
    // Killed between send and settle: the answer finds nobody.
    try await world.restartDispatcher()
    world.clock.advance(by: 30)
    try await world.settleDown()
    #expect(world.events.filter { $0 == "start" }.count == 1)
    try await world.registerCard("p-1")
    try await world.publish("accepted", sequence: 2)
    try await world.settleDown()
    #expect(world.events.last == "update")
  }

  @Test func aPhoneWithoutStartTokenIsAlerted() async throws {
    let world = LineWorld()
    try await world.restartDispatcher()
    try await world.register("p-2", startToken: false)
    try await world.publish("placed", sequence: 1, data: Self.placed)
    try await world.publish("accepted", sequence: 2)
    world.clock.advance(by: 30)
    try await world.settleDown()
    #expect(world.events == ["alert"])
  }

  @Test func anUpdateThatIsLostIsSaidAgain() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown()
    try await world.registerCard("p-1")
    world.clock.advance(by: 2)
    try await world.publish("accepted", sequence: 2)
    try await world.settleDown { _ in .unknown }
    #expect(world.events == ["start", "update"])
    world.clock.advance(by: 2)
    try await world.settleDown()
    #expect(world.events == ["start", "update", "update"])
  }

  @Test func aBadRecordCostsOneRecord() async throws {
    let world = try await started()
    try await world.publish(raw: "not json")
    try await world.publish("accepted", sequence: 2)
    #expect(world.letters.letters.count == 1)
    let order = try await world.store.snapshot(of: OrderID("o-1"))
    #expect(order?.snapshot?.stage == .accepted)
    #expect(world.source.stored[TopicPartition(topic: "orders", partition: 0)] == 3)
  }

  @Test func newsThatComesWhileThePhoneIsBusyIsToldRightAfter() async throws {
    let world = try await started()
    world.clock.advance(by: 6)
    try await world.settleDown()
    try await world.registerCard("p-1")
    world.clock.advance(by: 20)
    try await world.publish("accepted", sequence: 2)
    try await world.dispatcher.turn()
    #expect(world.gateway.waiting.count == 1)
    world.clock.advance(by: 2)
    try await world.publish("preparing", sequence: 3)
    try await world.dispatcher.turn()
    world.gateway.answerAll()
    try await world.settleDown()
    world.clock.advance(by: 1)
    try await world.settleDown()
    #expect(world.bodies.last?.contains("\"stage\":\"preparing\"") == true)
  }
}
