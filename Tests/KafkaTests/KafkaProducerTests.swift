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
  @Test func readsPairs() throws {
    let properties = try KafkaProperties(#" sasl.username=doorstep;sasl.password=a\;b=c\\d ; ;x.y="#)
    #expect(properties.pairs.map(\.name) == ["sasl.username", "sasl.password", "x.y"])
    #expect(properties.pairs.map(\.value) == ["doorstep", #"a;b=c\d "#, ""])
    #expect(!"\(properties)".contains("a;b"))
  }

  @Test(arguments: ["novalue", "=x", "enable.auto.commit=true", "group.id=x", "a=b;;c"])
  func refuses(text: String) {
    #expect(throws: KafkaError.self) { try KafkaProperties(text) }
  }

  @Test func anUnknownPropertyIsNamedWithoutItsValue() throws {
    let properties = try KafkaProperties("no.such.property=secret")
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
