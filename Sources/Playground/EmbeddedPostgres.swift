import Glibc

/// A PostgreSQL cluster of our own in a temporary folder, on a free loopback port; never touches one that runs.
///
/// The server hangs on a socket that this process holds: it stops and its folder goes when `stop()` is called and also
/// when this process ends in any other way. Started as root it runs as an unprivileged user, as initdb demands.
public final class EmbeddedPostgres: Sendable {
  public let port: UInt16
  public let folder: String
  private let supervisor: EmbeddedPostgresSupervisor

  /// Makes and starts a cluster; blocks the calling thread for about two seconds.
  ///
  /// - Parameter maxConnections: the server's `max_connections`.
  public init(maxConnections: Int = 60) throws(EmbeddedPostgresError) {
    let binaries = try EmbeddedPostgresBinaries.find()
    supervisor = try EmbeddedPostgresSupervisor(binaries: binaries, maxConnections: maxConnections)
    port = supervisor.port
    folder = supervisor.folder
  }

  /// The libpq connection string of a database in this cluster; its superuser is `postgres`, without a password.
  public func url(database: String = "postgres") -> String {
    "postgresql://postgres@127.0.0.1:\(port)/\(database)"
  }

  /// Stops the server at once and removes its folder; blocks until both are done. Stopping twice is harmless.
  public func stop() { supervisor.stop() }

  deinit { supervisor.stop() }
}

/// Why there is no embedded PostgreSQL, and what to do about it.
public struct EmbeddedPostgresError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Where the server's programs are, and as whom to run them.
struct EmbeddedPostgresBinaries {
  let folder: String
  /// nil: as the current user.
  let user: String?

  static func find() throws(EmbeddedPostgresError) -> EmbeddedPostgresBinaries {
    guard let folder = newestFolder() else {
      throw EmbeddedPostgresError(
        "no PostgreSQL server found below /usr/lib/postgresql; install it with: apt-get install postgresql-15")
    }
    guard geteuid() == 0 else { return EmbeddedPostgresBinaries(folder: folder, user: nil) }
    guard let user = ["postgres", "nobody"].first(where: { (name: String) in getpwnam(name) != nil }) else {
      throw EmbeddedPostgresError("initdb refuses root and there is neither a user postgres nor nobody; add one")
    }
    return EmbeddedPostgresBinaries(folder: folder, user: user)
  }

  private static func newestFolder() -> String? {
    let root = "/usr/lib/postgresql"
    guard let directory = opendir(root) else { return nil }
    defer { closedir(directory) }
    var newest: Int?
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let major = Int(name), access("\(root)/\(major)/bin/initdb", X_OK) == 0 else { continue }
      newest = max(newest ?? major, major)
    }
    return newest.map { "\(root)/\($0)/bin" }
  }
}
