import Playground

extension TestFixtures {
  /// The test process's own Kafka broker; started by the first call, gone when the process ends. Tests share it: give
  /// each test a topic and a group of its own.
  public static func broker() throws -> MockCluster { try sharedBroker.get() }

  private static let sharedBroker = Result { try MockCluster() }
}
