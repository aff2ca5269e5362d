import Codecs
import Domain
import Glibc
import Runtime

/// The whole line on this machine: database, broker, simulator and service, each a process of its own on free ports,
/// all in one temporary folder and all gone when this ends.
public actor Stack {
  /// What the simulator says about itself when it is ready.
  struct Simulator: Sendable {
    var productionURL = ""
    var sandboxURL = ""
    var controlURL = ""
    var teamID = ""
    var keyID = ""
    var keyFile = ""
    var caFile = ""
    var bundleIDs: [String] = []
  }

  /// Real seconds that a part may take to get ready on a busy machine.
  static let readySecondsMax = 60.0
  /// Longer than the service's own deadline for draining.
  static let drainSecondsMax = 40.0
  static let topics = [Topics.orders: 6, Topics.riders: 6, Topics.deadLetters: 1]

  public nonisolated let folder: TemporaryFolder
  /// Card seconds per real second.
  public nonisolated let speed: Double
  /// Where the scaled clock begins, in Unix seconds.
  public nonisolated let clockOrigin: Int64
  public nonisolated let apiPort: UInt16
  public nonisolated let opsPort: UInt16
  /// The `doorstep` executable that the processes run.
  private let program: String
  private let logs: String?
  private var postgres: EmbeddedPostgres?
  private var broker: EmbeddedBroker?
  private var simulatorProcess: ChildProcess?
  private(set) var simulator = Simulator()
  public internal(set) var service: ChildProcess?
  /// How often the service was killed and started again.
  public internal(set) var restarts = 0

  /// - Parameters:
  ///   - program: path of the `doorstep` executable.
  ///   - logs: folder for the simulator's raw logs; nil keeps none.
  public init(program: String, speed: Double, logs: String? = nil) throws(PlaygroundError) {
    self.program = program
    self.speed = speed
    self.logs = logs
    folder = try TemporaryFolder()
    apiPort = try LoopbackPort.free()
    opsPort = try LoopbackPort.free()
    clockOrigin = Int64(time(nil))
  }

  /// Starts database, broker and simulator side by side.
  public func startParts() async throws(PlaygroundError) {
    let key = folder.path + "/api-key"
    try writeKeys(to: key)
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { try await self.startPostgres() }
        group.addTask { try await self.startBroker() }
        group.addTask { try await self.startSimulator(keyFile: key) }
        try await group.waitForAll()
      }
    } catch let error as PlaygroundError {
      throw error
    } catch {
      throw PlaygroundError("\(error)")
    }
  }

  public var control: ControlPort { ControlPort(url: simulator.controlURL) }
  public var brokers: String { broker?.brokers ?? "" }
  public var databaseURL: String { postgres?.url(database: "postgres") ?? "" }
  /// PostgreSQL on and off, for tests.
  public func stopDatabase() { postgres?.stop() }

  private func startPostgres() async throws(PlaygroundError) {
    let started: Result<EmbeddedPostgres, EmbeddedPostgresError> = await withCheckedContinuation { continuation in
      SystemThread(name: "postgres") {
        do throws(EmbeddedPostgresError) {
          continuation.resume(returning: .success(try EmbeddedPostgres()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }.detach()
    }
    do throws(EmbeddedPostgresError) {
      postgres = try started.get()
    } catch {
      throw PlaygroundError("\(error)")
    }
  }

  private func startBroker() async throws(PlaygroundError) {
    broker = try await EmbeddedBroker.start(executable: program, topics: Self.topics, folder: folder.path)
  }

  private func startSimulator(keyFile: String) async throws(PlaygroundError) {
    let file = folder.path + "/simulator.json"
    var arguments = [
      "apns-simulator", "--out", folder.path, "--api", "http://127.0.0.1:\(apiPort)", "--api-key-file", keyFile,
      "--clock", "\(clockOrigin),\(speed)",
    ]
    if let logs { arguments += ["--logs", logs] }
    let child = try await start("apns-simulator", arguments)
    simulatorProcess = child
    let isReady = await Patience.until(within: Self.readySecondsMax) {
      child.exitStatus != nil || access(file, R_OK) == 0
    }
    guard isReady, child.exitStatus == nil else { throw failure(of: child) }
    simulator = try readSimulator(file)
  }

  private func readSimulator(_ path: String) throws(PlaygroundError) -> Simulator {
    var read = Simulator()
    do {
      try JSON.parse(Array((TextFile.read(path) ?? "").utf8)) { root in
        func text(_ name: StaticString) -> String { root[name]?.string ?? "" }
        read = Simulator(
          productionURL: text("productionURL"), sandboxURL: text("sandboxURL"), controlURL: text("controlURL"),
          teamID: text("teamId"), keyID: text("keyId"), keyFile: text("keyFile"), caFile: text("caFile"),
          bundleIDs: root["bundleIds"]?.elements.compactMap(\.string) ?? [])
      }
    } catch {
      throw PlaygroundError("\(path) of the simulator is not the JSON that was expected: \(error)")
    }
    return read
  }

  /// Ends everything and removes the folder. Ending twice is harmless.
  public func stop() async {
    for child in [service, simulatorProcess] {
      child?.terminate()
      _ = await child?.exit(within: 5)
      child?.kill()
    }
    await broker?.stop()
    postgres?.stop()
    folder.remove()
  }

  func start(
    _ name: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws(PlaygroundError) -> ChildProcess {
    try await ChildProcess.start(
      name: name, program: program, arguments: arguments, environment: environment,
      logPath: "\(folder.path)/\(name).log")
  }

  func failure(of child: ChildProcess) -> PlaygroundError {
    let end =
      child.exitStatus.map { "ended with status \($0)" } ?? "was not ready within \(Int(Self.readySecondsMax)) s"
    return PlaygroundError("doorstep \(child.name) \(end): \(child.lastWords())")
  }
}
