/// What `doorstep bench push` was asked for.
struct BenchPushOptions {
  /// Which process of the benchmark this is: the one that was called starts the others.
  enum Role: String { case conductor, server, transport, line, scenarios }

  var role = Role.conductor
  var requests = 1_000_000
  var rounds = 5
  var streams = 500
  var tokens = 50_000
  /// `host:port` of a server to push to, instead of one of our own.
  var target: String?
  var caFile: String?
  /// Where conductor and children meet.
  var folder = ""

  static let help = """
    bench push:
      --requests N              pushes in each run; default 1000000
      --rounds N                runs of each sender, interleaved; the median counts; default 5
      --streams N               open at once on the one connection; default 500
      --target HOST:PORT        a server of your own, timed from outside; with --ca-file FILE to trust it
    """

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch argument {
      case "--requests": requests = Int(value) ?? 0
      case "--rounds": rounds = Int(value) ?? 0
      case "--streams": streams = Int(value) ?? 0
      case "--target": target = value
      case "--ca-file": caFile = value
      case "--role":
        guard let role = Role(rawValue: value) else { return nil }
        self.role = role
      case "--folder": folder = value
      default: return nil
      }
    }
    guard (1...100_000_000).contains(requests), (1...99).contains(rounds), (1...1000).contains(streams) else {
      return nil
    }
  }

  /// The arguments that make a child of this role.
  func arguments(for role: Role, target: String) -> [String] {
    [
      "bench", "push", "--role", role.rawValue, "--folder", folder, "--requests", String(requests), "--streams",
      String(streams), "--target", target, "--ca-file", caFile ?? "\(folder)/ca.pem",
    ]
  }
}
