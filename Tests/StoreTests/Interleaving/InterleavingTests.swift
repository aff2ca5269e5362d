import Domain
import Glibc
import Postgres
import Runtime
import Store
import TestFixtures
import Testing

/// Every pair of operations, statement by statement on the real database: whatever the order, the rows end as if one
/// had come after the other, and nobody waits for each other in a ring (docs/delivery-semantics.md 1.6, 1.7, 3.2).
///
/// Every third lead is played, each pair beginning at another one; `TEST_EXTRA=1` plays them all.
@Suite struct InterleavingTests {
  @Test(arguments: Operation.all.indices)
  func whateverTheOrderItEndsAsOneAfterTheOther(_ index: Int) async throws {
    try await TestFixtures.withDatabase { url in
      let stage = try await InterleavingStage(url: url)
      for other in Operation.all[index...] { try await stage.play(Operation.all[index], other) }
      await stage.close()
    }
  }
}

/// Two stores whose statements are let go one by one, and a third that sets the scenes.
private actor InterleavingStage {
  private let leading = Stepper()
  private let following = Stepper()
  private let stores: [PostgresStore]
  private let setting: PostgresStore
  private let observer: PostgresConnection
  private var scenes: UInt64 = 1_000_000
  private var pairs = 0
  private let stride = getenv("TEST_EXTRA") == nil ? 3 : 1

  init(url: String) async throws {
    stores = [leading, following].map { stepper in
      PostgresStore(url: url, consumerGroup: "test", settings: stepper.settings)
    }
    setting = PostgresStore(url: url, consumerGroup: "test")
    observer = PostgresConnection(url: url, name: "pg-observer")
    // A ring is found soon, and shows as an error of one of the two.
    let database = url.split(separator: "/").last ?? ""
    try await observer.execute(script: "alter database \(database) set deadlock_timeout = '20ms'")
  }

  func close() async {
    for store in stores + [setting] { await store.close() }
    await observer.close()
  }

  func play(_ first: Operation, _ second: Operation) async throws {
    var allowed: Set<String> = []
    for isSwapped in [false, true] {
      let scene = try await nextScene()
      let (leader, follower) = isSwapped ? (second, first) : (first, second)
      let said = [try await leader.run(setting, scene), try await follower.run(setting, scene)]
      allowed.insert(try await outcome(scene, isSwapped ? said.reversed() : said))
    }
    // The first goes `lead` statements ahead, then the second runs to its end, then the first does; and the reverse.
    pairs += 1
    for isSwapped in [false, true] {
      let (leader, follower) = isSwapped ? (second, first) : (first, second)
      for lead in Swift.stride(from: pairs % stride, to: 40, by: stride) {
        let scene = try await nextScene()
        let played = try await interleave(leader, follower, lead: lead, scene)
        let said = [played.leader, played.follower]
        let end = try await outcome(scene, isSwapped ? said.reversed() : said)
        let isAllowed = allowed.contains(end)
        #expect(isAllowed, "\(leader) \(lead) statements ahead of \(follower): \(end)\nallowed: \(allowed)")
        if played.leaderWasDone { break }
      }
    }
  }

  private func nextScene() async throws -> Scene {
    scenes += 1
    return try await Scene(number: scenes, in: setting)
  }

  /// What the two said, and the rows as they are now.
  private func outcome(_ scene: Scene, _ said: [String]) async throws -> String {
    (said + [try await scene.dump(observer)]).joined(separator: "\n")
  }

  private struct Played {
    var leader: String
    var follower: String
    var leaderWasDone: Bool
  }

  private func interleave(
    _ leader: Operation, _ follower: Operation, lead: Int, _ scene: Scene
  ) async throws -> Played {
    leading.begin()
    following.begin()
    async let leaderSaid = Self.run(leader, stores[0], scene, leading)
    async let followerSaid = Self.run(follower, stores[1], scene, following)
    for _ in 0..<lead {
      _ = try await leading.settled { false }
      if leading.current == .finished { break }
      leading.step()
    }
    _ = try await leading.settled { false }
    let leaderWasDone = leading.current == .finished
    // The follower runs until it is done or waits for the leader; then the leader runs to its end.
    while try await following.settled(isBlocked: isBlocked), following.current != .finished { following.step() }
    leading.release()
    following.release()
    return Played(leader: await leaderSaid, follower: await followerSaid, leaderWasDone: leaderWasDone)
  }

  private static func run(
    _ operation: Operation, _ store: PostgresStore, _ scene: Scene, _ stepper: Stepper
  ) async -> String {
    defer { stepper.finish() }
    do { return try await operation.run(store, scene) } catch { return "\(error)" }
  }

  private func isBlocked() async throws -> Bool {
    let waiting = Statement(
      "waiting",
      """
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock')
      """)
    return try await observer.run(Call(waiting)).bool(0, 0) == true
  }
}
