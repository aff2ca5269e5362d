import Playground

extension TestFixtures {
  /// The test process's own PostgreSQL cluster; started by the first call, gone when the process ends.
  public static func postgres() throws -> EmbeddedPostgres { try cluster.get() }

  private static let cluster = Result { try EmbeddedPostgres() }
}
