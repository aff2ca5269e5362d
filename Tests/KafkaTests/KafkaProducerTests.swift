import Kafka
import Playground
import Testing

@Suite struct KafkaProducerTests {
  /// A broker of this suite's own, because it is made to fail.
  private let cluster: MockCluster

  init() throws { cluster = try MockCluster() }

  @Test func aRefusedMessageFailsTheBatch() async throws {
    let topic = try TestTopic("refused", cluster: cluster)
    let producer = try KafkaProducer(brokers: topic.brokers)
    let messageTooLarge: Int32 = 10
    cluster.fail(.produce, withError: messageTooLarge, times: 1)
    await #expect(throws: KafkaError.self) {
      try await producer.send([KafkaMessage(topic: topic.name, key: nil, value: [1])])
    }
    try await producer.send([KafkaMessage(topic: topic.name, key: nil, value: [2])])
    await producer.close()
    await #expect(throws: KafkaError.self) {
      try await producer.send([KafkaMessage(topic: topic.name, key: nil, value: [3])])
    }
  }

  /// A leader that moves and a request that times out: repeated without doubles.
  @Test func passingFaultsAreRepeatedWithoutDoubles() async throws {
    let topic = try TestTopic("retried", cluster: cluster)
    let (notLeader, requestTimedOut): (Int32, Int32) = (6, 7)
    cluster.fail(.produce, withError: notLeader, times: 1)
    cluster.fail(.produce, withError: requestTimedOut, times: 1)
    try await topic.produce((0..<100).map(String.init))
    let consumer = try topic.consumer()
    #expect(try await consumer.collect(100).map(\.text) == (0..<100).map(String.init))
    await consumer.close()
  }
}

@Suite struct KafkaPropertiesTests {
  @Test(arguments: ["enable.auto.commit", "group.id", "acks"])
  func refusesWhatDeliveryRestsOn(name: String) {
    #expect(throws: KafkaError.self) { try KafkaProperties([(name, "x")]) }
  }

  @Test func valuesAreNotPrinted() throws {
    #expect("\(try KafkaProperties([("sasl.password", "hidden")]))" == "sasl.password=...")
  }

  @Test func anUnknownPropertyIsNamedWithoutItsValue() throws {
    let properties = try KafkaProperties([("no.such.property", "secret")])
    do {
      _ = try KafkaProducer(brokers: "127.0.0.1:1", properties: properties)
      Issue.record("taken")
    } catch {
      #expect(error.kind == .configuration)
      #expect(error.description.contains("no.such.property"))
      #expect(!error.description.contains("secret"))
    }
  }
}
