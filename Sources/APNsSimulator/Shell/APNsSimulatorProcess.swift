import Glibc
import Runtime

/// `doorstep apns-simulator`: the simulator as a process of its own.
public enum APNsSimulatorProcess {
  public static let usage = """
    doorstep apns-simulator [options]
      Apple's side and the phones: two APNs hosts over TLS and HTTP/2, phones behind them, a control port.
      --port P, --sandbox-port P   where production and sandbox listen (default 0: any free port)
      --control-port C             HTTP control port on loopback (default 0)
      --out DIR                    where simulator.json, ca.pem, AuthKey_<id>.p8 and report.json go (default .)
      --api URL                    the API that phones register with; without it nobody is asked
      --api-key-file FILE          service key for that API
      --clock ORIGIN,FACTOR        card time runs FACTOR times as fast since ORIGIN (Unix seconds)
      --logs DIR                   keeps truth.jsonl and published.jsonl there
      --phones N[:NAME=WEIGHT,...] switches N phones on at once, behaviours mixed by weight
      --bundles ID,...             bundle ids that may be pushed to (default com.example.delivery)
      --seed N                     the phones' luck (default 1)
      --lenient                    accepts what Apple's pages leave open
      --wire-reasons               answers BadEnvironmentKeyInToken, as seen on the wire, not the documented spelling
      --management-port P, --sandbox-management-port P   hosts of the channel API
      --certificate KIND           good, otherName or otherAuthority
      --link                       puts proxies before the hosts, harmed by POST /link
    Ready when DIR/simulator.json is there. docs/simulator.md tells the control port, the logs and the figures.
    """

  /// Runs until SIGTERM or SIGINT. Exit status: 0 done, 1 failed, 2 wrong use.
  public static func run(_ arguments: [String]) async -> Int32 {
    do {
      let options = try SimulatorOptions(arguments)
      if options.showsHelp {
        say(usage, to: STDOUT_FILENO)
        return 0
      }
      return try await run(options)
    } catch let wrong as SimulatorOptions.WrongUse {
      say("apns-simulator: \(wrong)", to: STDERR_FILENO)
      return 2
    } catch {
      say("apns-simulator: \(error)", to: STDERR_FILENO)
      return 1
    }
  }

  private static func run(_ options: SimulatorOptions) async throws -> Int32 {
    ProcessSignals.ignoreBrokenPipes()
    let ended = TimedSignal()
    try ProcessSignals.watch([.terminate, .interrupt]) { _ in ended.raise() }
    let specs = try options.phones.map { text throws(SimulatorOptions.WrongUse) in try PhoneMix(text).specs(options) }
    let serviceKey = try options.apiKeyFile.map { path throws(SystemError) in try LineFile.read(path) }
    let simulator = try Simulator(options: options, serviceKey: serviceKey, logs: try logFiles(options.logs))
    try simulator.start()
    if let specs { simulator.switchOn(specs) }
    try simulator.place.write(to: options.out)
    say("apns-simulator: ready, see \(options.out)/simulator.json", to: STDERR_FILENO)
    await ended.wait(seconds: nil)
    let figures = await simulator.stop()
    try LineFile.replace("\(options.out)/report.json", with: figures.json)
    return 0
  }

  private static func logFiles(_ folder: String?) throws(SystemError) -> [TruthLog.Stream: LineFile] {
    guard let folder else { return [:] }
    if mkdir(folder, 0o755) != 0 && errno != EEXIST { throw SystemError.last("create the folder \(folder)") }
    return [
      .truth: try LineFile(path: "\(folder)/truth.jsonl"), .published: try LineFile(path: "\(folder)/published.jsonl"),
    ]
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array("\(text)\n".utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}
